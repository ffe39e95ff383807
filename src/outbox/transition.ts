import { type CreditMove, type LowBalance, moveCredits } from '../businesses/credits.ts';
import { noteEventsOf } from '../db/committedEvents.ts';
import type { Queryable } from '../db/statement.ts';
import { type FinalWrites, writeNow } from '../db/transaction.ts';
import { newId } from '../kit/ids.ts';
import { eventRow, type NewEvent } from '../webhooks/events.ts';
import { eventsForSend } from './eventsForSend.ts';
import type { LockedSend } from './lockSql.ts';
import { keyText } from './send.ts';
import { writeTransitions, writeTransitionsWithoutEvents } from './sendsSql.ts';
import { mayFollow } from './states.ts';

/** A locked send before and after its change. */
export interface SendTransition {
  before: LockedSend;
  after: LockedSend;
}

/** What applied transitions require next: webhook deliveries, or another claim. */
export interface TransitionResult {
  /** The number of webhook deliveries queued. */
  deliveries: number;
  /** Whether a send became due: a fallback, or an escalation that waited for the email. */
  due: boolean;
}

export const makesDue = (changes: readonly SendTransition[], now: Date): boolean =>
  changes.some(({ before, after }) => before !== after && after.due_at !== null && after.due_at <= now);

/**
 * Applies transitions to existing sends. Credit movements and events are derived from the difference between `before` and
 * `after` and written in the same transaction, so that no caller can forget one or write it twice. Returns the number of
 * webhook deliveries queued.
 */
export async function applyTransitions(
  tx: Queryable,
  changes: readonly SendTransition[],
  now: Date,
  more: NewEvent[] = [],
): Promise<number> {
  return writeNow(tx, await transitionWrites(tx, changes, now, more));
}

/** The same, but returns the last statement as a final write, so that the commit is pipelined with it. */
export async function transitionWrites(
  tx: Queryable,
  changes: readonly SendTransition[],
  now: Date,
  more: NewEvent[] = [],
): Promise<FinalWrites<number>> {
  const real = changes.filter(({ before, after }) => before !== after);
  for (const change of real) checkTransition(change);
  const moves = real.flatMap(creditMoves);
  const lowBalances = (await moveCredits(tx, moves, now)).map(lowBalanceEvent);
  const sendEvents = real.flatMap((change) =>
    eventsForSend(change.before, change.after).map((event) => ({ event, change })),
  );
  const events = [...sendEvents.map(({ event }) => event), ...lowBalances, ...more];
  if (real.length === 0 && events.length === 0) return () => () => 0;
  const sends = JSON.stringify(real.map(({ after }) => mutableColumns(after)));
  if (events.length === 0)
    return (send) => {
      send(writeTransitionsWithoutEvents, sends);
      return () => 0;
    };
  noteEventsOf(tx, events);
  const messageEvents = sendEvents.map(({ event, change: { after } }, ordinal) => ({
    business_id: after.business_id,
    id: newId(now, ordinal),
    message_id: after.message_id,
    send_id: after.id,
    type: event.type,
    detail: after.reason ?? after.error_code,
    at: now,
  }));
  const historyRows = JSON.stringify(messageEvents);
  const eventRows = JSON.stringify(events.map((event, ordinal) => eventRow(event, now, ordinal)));
  return (send) => {
    const written = send(writeTransitions, sends, historyRows, eventRows);
    return () => written()[0]?.deliveries ?? 0;
  };
}

/** The columns that can change. Empty ones are omitted to keep the JSON small. */
const mutableColumns = (send: LockedSend) => ({
  business_id: send.business_id,
  id: send.id,
  state: send.state,
  reason: send.reason ?? undefined,
  error_code: send.error_code ?? undefined,
  due_at: send.due_at?.toISOString(),
  lease: send.lease ?? undefined,
  attempts: send.attempts || undefined,
  attempt_token: send.attempt_token ?? undefined,
  credits: send.credits || undefined,
  reserved: send.reserved || undefined,
  charged: send.charged || undefined,
  country: send.country ?? undefined,
  submitted_at: send.submitted_at?.toISOString(),
  last_status_at: send.last_status_at?.toISOString(),
  delivered_at: send.delivered_at?.toISOString(),
  bounced_at: send.bounced_at?.toISOString(),
  complained_at: send.complained_at?.toISOString(),
});

const lowBalanceEvent = ({ businessId, balance, threshold }: LowBalance): NewEvent => ({
  type: 'credits.low_balance',
  data: { balance, threshold },
  businessId,
  messageId: null,
  recipientId: null,
});

function checkTransition({ before, after }: SendTransition): void {
  if (before.state !== after.state && !mayFollow(after.channel, before.state, after.state)) {
    throw new Error(
      `the ${after.channel} send ${keyText(after)} cannot go from ${before.state} to ${after.state}`,
    );
  }
}

/** The credit movements that the flags `reserved` and `charged` imply. */
export function creditMoves({ before, after }: SendTransition): CreditMove[] {
  const { credits } = after;
  if (credits === 0) return [];
  const move = (kind: CreditMove['kind']): CreditMove[] => [
    { kind, businessId: after.business_id, sendId: after.id, credits },
  ];
  if (before.charged && !after.charged) return move('refund');
  if (!before.charged && after.charged) return move(before.reserved ? 'charge_reserved' : 'charge');
  if (before.reserved && !after.reserved) return move('release');
  if (!before.reserved && after.reserved) return move('reserve');
  return [];
}
