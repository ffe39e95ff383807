import type { Queryable } from '../db/statement.ts';
import type { Hasher } from '../kit/seal.ts';
import { recordStop, type Stop, type StoppedPerson } from '../recipients/stops.ts';
import { cancelSends } from './cancelSends.ts';

/**
 * Stops a channel for a person, at the request of the person (by text or in the inbox), the carrier or the shop. Skips the
 * sends that wait on that channel in the same transaction. Returns their number, the webhook deliveries queued, and whether the
 * person's consent changed.
 */
export async function stopChannel(tx: Queryable, hash: Hasher, person: StoppedPerson, stop: Stop, now: Date) {
  const changed = await recordStop(tx, hash, person, stop, now);
  const { business_id: businessId, recipient_id: recipientId } = person;
  const waiting = { businessId, recipientId, channels: [stop.channel] };
  return { changed, ...(await cancelSends(tx, waiting, 'stopped', now)) };
}
