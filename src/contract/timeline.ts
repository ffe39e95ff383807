import { channels } from './channels.ts';
import { Int, List, Nullable, OneOf, Shape, Text, Timestamp, type ValueOf } from './schema.ts';

export const timelineKinds = [
  'pushed',
  'updated',
  'obsoleted',
  'retracted',
  'opened',
  'planned',
  'skipped',
  'armed',
  'rescheduled',
  'cancelled',
  'submitted',
  'retried',
  'accepted',
  'delivered',
  'read',
  'bounced',
  'complained',
  'failed',
  'rejected',
  'fallback_sent',
  'resent',
  'credits_reserved',
  'credits_charged',
  'credits_refunded',
  'credits_released',
] as const;

export type TimelineKind = (typeof timelineKinds)[number];

export const TimelineItem = Shape(
  {
    at: Timestamp(),
    kind: OneOf(timelineKinds),
    channel: Nullable(OneOf(channels), { description: 'null: it is about the message.' }),
    reason: Nullable(Text(), { description: 'The gate, the cause or the error code, where there is one.' }),
    credits: Nullable(Int(), { description: 'For the four `credits_…` kinds.' }),
    says: Text({ description: 'The same as a sentence, in English.' }),
  },
  { title: 'TimelineItem' },
);
export type TimelineItem = ValueOf<typeof TimelineItem>;

export const Timeline = Shape({ items: List(TimelineItem) }, { title: 'Timeline' });
export type Timeline = ValueOf<typeof Timeline>;
