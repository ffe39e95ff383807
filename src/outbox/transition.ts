import { type LowBalance, moveCredits } from '../businesses/credits.ts';
import { recordEventBusinesses } from '../db/committedEvents.ts';
import type { Queryable } from '../db/statement.ts';
import { type FinalWrites, writeNow } from '../db/transaction.ts';
import type { UsageFact } from '../usage/counters.ts';
import { countsJson } from '../usage/sql.ts';
import { eventRow, type NewEvent, ofBusinessAlone } from '../webhooks/events.ts';
import { creditMoves } from './creditMoves.ts';
import { eventsForSend } from './eventsForSend.ts';
import { historyOfSend, historyRow } from './historyOfSend.ts';
import type { LockedSend } from './lockSql.ts';
import { keyText } from './send.ts';
import { writeTransitions, writeTransitionsAndCounts, writeTransitionsOnly } from './sendsSql.ts';
import { mayFollow } from './states.ts';
import { usageOfSend } from './usageOfSend.ts';

/** A locked send before and after its change. */
export interface SendTransition {
  before: LockedSend;
  after: LockedSend;
  /** When it was due, if it waits for the end of quiet hours instead. Every other change ends that wait. */
  deferredFrom?: Date;
}

/** What applied transitions require next: webhook deliveries, or another claim. */
export interface TransitionResult {
  /** The number of webhook deliveries queued. */
  deliveries: number;
  /** Whether a send became due: a fallback, or an escalation that waited for the email. */
  due: boolean;
}

/** A due send that waits for the end of quiet hours. */
export const deferred = (before: LockedSend, until: Date, now: Date): SendTransition => ({
  before,
  after: { ...before, country: before.phone_country ?? before.country, due_at: until, lease: null },
  deferredFrom: now,
});

export const makesDue = (changes: readonly SendTransition[], now: Date): boolean =>
  changes.some(({ before, after }) => before !== after && after.due_at !== null && after.due_at <= now);

/**
 * Applies transitions to existing sends. Credit movements, events, history and usage are derived from the difference between
 * `before` and `after` and written in the same transaction, so that no caller can forget one or write it twice. Returns the
 * number of webhook deliveries queued. The exceptions, for fewer round trips: `acceptEmails`, `cancelWaiting` and `queueSend`, which
 * must leave what a transition would leave.
 */
export const applyTransitions = async (...transition: Parameters<typeof transitionWrites>): Promise<number> =>
  writeNow(transition[0], await transitionWrites(...transition));

/** The same, but returns the last statement as a final write, so that the commit is pipelined with it. */
export async function transitionWrites(
  tx: Queryable,
  changes: readonly SendTransition[],
  now: Date,
  more: NewEvent[] = [],
  counted: UsageFact[] = [],
): Promise<FinalWrites<number>> {
  const real = changes.filter(({ before, after }) => before !== after);
  for (const change of real) checkTransition(change);
  const moves = real.flatMap(creditMoves);
  const lowBalances = (await moveCredits(tx, moves, now)).map(lowBalanceEvent);
  const sendEvents = real.flatMap((change) =>
    eventsForSend(change.before, change.after).map((event) => ({ event, change })),
  );
  const events = [...sendEvents.map(({ event }) => event), ...lowBalances, ...more];
  const history = [
    ...sendEvents.map(({ event, change: { after } }) => ({
      send: after,
      entry: { type: event.type, detail: after.reason ?? after.error_code },
    })),
    ...real.flatMap(({ before, after, deferredFrom }) =>
      historyOfSend(before, after, deferredFrom !== undefined).map((entry) => ({ send: after, entry })),
    ),
  ];
  if (real.length === 0 && events.length === 0) return () => () => 0;
  const sends = JSON.stringify(real.map(mutableColumns));
  const counts = countsJson([
    ...real.flatMap(({ before, after }) => usageOfSend(before, after, now)),
    ...counted,
  ]);
  if (events.length === 0 && history.length === 0)
    return (send) => {
      if (counts === null) send(writeTransitionsOnly, sends);
      else send(writeTransitionsAndCounts, sends, counts);
      return () => 0;
    };
  recordEventBusinesses(tx, events);
  const historyRows = JSON.stringify(
    history.map(({ send, entry }, ordinal) => historyRow(send, entry, now, ordinal)),
  );
  const eventRows = JSON.stringify(events.map((event, ordinal) => eventRow(event, now, ordinal)));
  return (send) => {
    const written = send(writeTransitions, sends, historyRows, eventRows, counts ?? '[]');
    return () => written()[0]?.counted ?? 0;
  };
}

/** The columns that can change. Empty ones are omitted to keep the JSON small. */
const mutableColumns = ({ after: send, deferredFrom }: SendTransition) => ({
  business_id: send.business_id,
  id: send.id,
  state: send.state,
  reason: send.reason ?? undefined,
  error_code: send.error_code ?? undefined,
  due_at: send.due_at?.toISOString(),
  deferred_from: deferredFrom?.toISOString(),
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
  ...ofBusinessAlone(businessId),
});

function checkTransition({ before, after }: SendTransition): void {
  if (before.state !== after.state && !mayFollow(after.channel, before.state, after.state)) {
    throw new Error(
      `the ${after.channel} send ${keyText(after)} cannot go from ${before.state} to ${after.state}`,
    );
  }
}
