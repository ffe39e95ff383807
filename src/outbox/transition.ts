import { type CreditMove, type LowBalance, moveCredits } from '../businesses/credits.ts';
import type { Queryable } from '../db/statement.ts';
import { type FinalWrites, writeNow } from '../db/transaction.ts';
import { newId } from '../kit/ids.ts';
import { eventRow, type NewEvent } from '../webhooks/events.ts';
import { eventsForSend } from './eventsForSend.ts';
import type { LockedSend } from './lockSql.ts';
import { keyText } from './send.ts';
import { writeTransitions, writeTransitionsWithoutEvents } from './sendsSql.ts';
import { mayFollow } from './states.ts';

/** A locked send as it was and as it shall be. */
export interface SendTransition {
  before: LockedSend;
  after: LockedSend;
}

/** What came of changes, for those who wait for it. */
export interface TransitionResult {
  /** Webhook deliveries that were queued. */
  deliveries: number;
  /** Whether a send is due now that was not: a fallback, or an escalation that waited for the email. */
  due: boolean;
}

export const makesDue = (changes: readonly SendTransition[], now: Date): boolean =>
  changes.some(({ before, after }) => before !== after && after.due_at !== null && after.due_at <= now);

/**
 * The one way in which a send that exists ever changes. What follows from a change follows here, in the same
 * transaction: its credits are set aside, spent or given back, and its events are told, each derived from the
 * difference, so that no caller can forget one or tell it twice. Answers how many webhook deliveries were queued.
 */
export async function applyTransitions(
  tx: Queryable,
  changes: readonly SendTransition[],
  now: Date,
  more: NewEvent[] = [],
): Promise<number> {
  return writeNow(tx, await transitionWrites(tx, changes, now, more));
}

/** As above up to its last statement, so that the commit can go out with it. */
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
  const told = real.flatMap((change) =>
    eventsForSend(change.before, change.after).map((event) => ({ event, change })),
  );
  const events = [...told.map(({ event }) => event), ...lowBalances, ...more];
  if (real.length === 0 && events.length === 0) return () => () => 0;
  const sends = JSON.stringify(real.map(({ after }) => mutableColumns(after)));
  if (events.length === 0)
    return (send) => {
      send(writeTransitionsWithoutEvents, sends);
      return () => 0;
    };
  const messageEvents = told.map(({ event, change: { after } }, ordinal) => ({
    business_id: after.business_id,
    id: newId(now, ordinal),
    message_id: after.message_id,
    send_id: after.id,
    type: event.type,
    detail: after.reason ?? after.error_code,
    at: now,
  }));
  const happened = JSON.stringify(messageEvents);
  const news = JSON.stringify(events.map((event, ordinal) => eventRow(event, now, ordinal)));
  return (send) => {
    const written = send(writeTransitions, sends, happened, news);
    return () => written()[0]?.deliveries ?? 0;
  };
}

/** The rest of a send is written once and never changes. What is empty is left out: it need not be read either. */
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

/** What the flags say happened to the credits of a send. */
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
