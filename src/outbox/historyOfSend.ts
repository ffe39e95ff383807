import type { PaidChannel } from '../contract/channels.ts';
import { newId } from '../kit/ids.ts';
import type { LockedSend } from './lockSql.ts';

/**
 * What the history keeps because no other row tells it, or tells when. Its types differ from the webhook events', which are
 * in the history, too.
 */
export type HistoryType =
  | 'message.updated'
  | 'message.reopened'
  /** A tracking event made this push. */
  | 'message.milestone'
  /** A tracking event came whose status this push had told. */
  | 'message.already_told'
  | `${PaidChannel}.${'skipped' | 'resent' | 'planned' | 'fallback_sent' | 'rescheduled' | 'deferred'}`;

interface HistoryEntry {
  type: HistoryType;
  detail: string | null;
}

/**
 * The history of a transition, besides its events: a held send was released, its deadline waits for the email or moved, or quiet hours
 * deferred a send.
 */
export function historyOfSend(before: LockedSend, after: LockedSend, isDeferred: boolean): HistoryEntry[] {
  const { channel } = after;
  if (channel === 'email') return [];
  if (isDeferred) return [{ type: `${channel}.deferred`, detail: after.due_at?.toISOString() ?? null }];
  if (before.state !== 'held') return [];
  const escalates = after.escalate_minutes !== null;
  if (after.state === 'queued')
    return [{ type: `${channel}.${escalates ? 'planned' : 'fallback_sent'}`, detail: null }];
  // A deadline that came before the email went out, and later its new time; while it waits, none is known.
  const rescheduled = (before.due_at === null) !== (after.due_at === null);
  return after.state === 'held' && escalates && rescheduled
    ? [{ type: `${channel}.rescheduled`, detail: after.due_at?.toISOString() ?? null }]
    : [];
}

/** A row of `message_events`. `ordinal` keeps the rows of one transaction in order. */
export const historyRow = (
  { business_id, message_id, id }: Pick<LockedSend, 'business_id' | 'message_id' | 'id'>,
  { type, detail }: { type: string; detail: string | null },
  now: Date,
  ordinal: number,
) => ({ business_id, id: newId(now, ordinal), message_id, send_id: id, type, detail, at: now });
