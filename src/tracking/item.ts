import type { PushItem } from '../push/request.ts';
import type { ReportedEvent } from './decideTracking.ts';

/** One tracking event of a group, with the call that reported it. */
export interface TrackingItem extends Omit<PushItem, 'request'> {
  reference: string;
  event: ReportedEvent;
}
