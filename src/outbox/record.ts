import type { PaidChannel } from '../contract/channels.ts';
import type { Client, Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, type SendWrite, TransactionEnd, transaction } from '../db/transaction.ts';
import type { Hasher } from '../kit/seal.ts';
import type { ProviderResponse, Refusal } from '../providers/provider.ts';
import { rememberNotOnWhatsapp, suppress } from '../recipients/suppressions.ts';
import { afterResponse } from './afterResponse.ts';
import { lockOrStop } from './carrierStops.ts';
import { type LockedSend, lockRecipients } from './lockSql.ts';
import { byId, keyArrays, keyText, recipientKeys, type SendKey } from './send.ts';
import { acceptEmails, insertAttempts } from './sendsSql.ts';
import { cancelled, withSiblings } from './siblings.ts';
import { holdTemplates, noteSubmitted, ownEmailSenders, refusedBefore } from './sql.ts';
import { isWaiting } from './states.ts';
import { makesDue, type SendTransition, type TransitionResult, transitionWrites } from './transition.ts';

/** How an attempt ended. */
export interface EndedAttempt extends SendKey {
  recipient_id: string;
  attempt_token: string;
  attempt: number;
  provider: string;
  /** The number it went to, where it was one: the person may have been given another while it was under way. */
  number: string | null;
  paidChannel: PaidChannel | null;
  answer: ProviderResponse;
  startedAt: Date;
  endedAt: Date;
}

export interface RecordDeps {
  hash: Hasher;
  random: () => number;
}

/**
 * Writes down how a list of attempts ended, in the caller's transaction. The attempt's token is the guard: an answer
 * that comes after its send was given up as lost, or erased, finds no row and is dropped. An answer that comes after
 * a report has already moved the send on only adds the attempt.
 */
export async function recordAttempts(
  tx: Client,
  { hash, random }: RecordDeps,
  attempts: readonly EndedAttempt[],
  now: Date,
): Promise<TransactionEnd<TransitionResult>> {
  const stops = attempts.flatMap((attempt) =>
    isRefusal(attempt.answer, 'stopped')
      ? [{ key: attempt, channel: attempt.paidChannel, number: attempt.number }]
      : [],
  );
  const { concerned, cancelled } = await lockOrStop(tx, hash, attempts, stops, now);
  const byKey = new Map(concerned.map((send) => [keyText(send), send]));
  const matched = attempts.flatMap((attempt) => {
    const send = byKey.get(keyText(attempt));
    return send?.attempt_token === attempt.attempt_token ? [{ attempt, send }] : [];
  });
  if (matched.length === 0) return TransactionEnd.noFinalWrites({ deliveries: cancelled, due: false });

  const refused = await refusedEarlier(tx, matched);
  const changes = matched.map(({ attempt: { answer }, send }): SendTransition => {
    if (send.state !== 'submitting') return { before: send, after: { ...send, attempt_token: null } };
    const refusedEarlier = refused.has(keyText(send));
    return {
      before: send,
      after: afterResponse(send, { answer, refusedBefore: refusedEarlier }, now, random),
    };
  });
  await rememberRefusals(tx, hash, matched, now);
  const all = withoutTwoWaiting(changes, concerned, now);
  const rows = JSON.stringify(matched.map(({ attempt }) => attemptRow(attempt)));
  const writeChanges = await transitionWrites(tx, all, now);
  return TransactionEnd.finalWrites((send) => {
    const deliveries = writeChanges(send);
    send(insertAttempts, rows);
    noteSubmittedTo(send, hash, matched);
    return () => ({ deliveries: cancelled + deliveries(), due: makesDue(all, now) });
  });
}

/**
 * A message is announced again while a call for it is under way: when that call surely took nothing, the newer send
 * takes its place, as it would have taken that of a waiting one. Two never wait for one message and channel.
 */
function withoutTwoWaiting(
  changes: readonly SendTransition[],
  concerned: readonly LockedSend[],
  now: Date,
): SendTransition[] {
  const changed = new Map(changes.map(({ after }) => [keyText(after), after]));
  const waiting = concerned
    .map((send) => changed.get(keyText(send)) ?? send)
    .filter(({ state }) => isWaiting(state));
  const isSuperseded = ({ after }: SendTransition): boolean =>
    after.state === 'queued' &&
    after.message_id !== null &&
    waiting.some(
      (other) =>
        other.business_id === after.business_id &&
        other.message_id === after.message_id &&
        other.channel === after.channel &&
        other.id !== after.id &&
        (!changed.has(keyText(other)) || byId(after, other) < 0),
    );
  const final = changes.map(
    (change): SendTransition =>
      isSuperseded(change) ? { ...change, after: cancelled(change.after, 'superseded', now) } : change,
  );
  // The newer email decides what is held until the email goes out.
  const silent = ({ after }: SendTransition): boolean =>
    after.channel === 'email' && after.state === 'cancelled';
  return [
    ...withSiblings(
      final.filter((change) => !silent(change)),
      concerned,
      now,
    ),
    ...final.filter(silent),
  ];
}

interface Matched {
  attempt: EndedAttempt;
  send: LockedSend;
}

/** Asked only for what may be given up now: an attempt before it may have reached the provider. */
async function refusedEarlier(tx: Client, matched: readonly Matched[]): Promise<Set<string>> {
  const repeated = matched.filter(
    ({ attempt, send }) => send.attempts > 1 && attempt.answer.outcome === 'not_taken',
  );
  if (repeated.length === 0) return new Set();
  return new Set((await refusedBefore(tx, ...keyArrays(repeated.map(({ send }) => send)))).map(keyText));
}

/**
 * The numbers that a message has reached or may have reached: their replies are for the business. An acknowledgement is
 * no message of the business's, so it does not make the business the last that wrote.
 */
function noteSubmittedTo(send: SendWrite, hash: Hasher, matched: readonly Matched[]): void {
  const submitted = matched.flatMap(({ attempt: { answer, number, paidChannel: channel }, send }) =>
    (answer.outcome === 'accepted' || answer.outcome === 'unknown') &&
    number !== null &&
    channel !== null &&
    send.message_id !== null
      ? [
          {
            business_id: send.business_id,
            channel,
            number_hash: `\\x${hash.hex('phone', number)}`,
            submitted_at: send.submitted_at?.toISOString(),
          },
        ]
      : [],
  );
  if (submitted.length > 0) send(noteSubmitted, JSON.stringify(submitted));
}

const isRefusal = (answer: ProviderResponse, because: Refusal): boolean =>
  answer.outcome === 'refused' && answer.because === because;

/** Some refusals tell something about an address, a number or a template that later sends should know. */
async function rememberRefusals(
  tx: Client,
  hash: Hasher,
  matched: readonly Matched[],
  now: Date,
): Promise<void> {
  const refusedFor = (because: Refusal): Matched[] =>
    matched.filter(({ attempt: { answer } }) => isRefusal(answer, because));
  // Not from an acknowledgement: whoever just wrote to us there is there.
  const notOnWhatsapp = refusedFor('not_on_whatsapp').flatMap(({ attempt: { number }, send }) =>
    number === null || send.purpose === 'reply_ack' ? [] : [{ businessId: send.business_id, number }],
  );
  await rememberNotOnWhatsapp(tx, hash, notOnWhatsapp, now);
  await suppressUndeliverable(
    tx,
    hash,
    refusedFor('address').flatMap(({ send }) => (send.channel === 'email' ? [send] : [])),
    now,
  );
  const held = refusedFor('template').flatMap(({ send }) => send.order_status ?? []);
  if (held.length > 0) await holdTemplates(tx, held);
}

/** An address proved undeliverable: for this business, and on the shared sending domain for everyone. */
export async function suppressUndeliverable(
  tx: Client,
  hash: Hasher,
  bounced: readonly LockedSend[],
  now: Date,
): Promise<void> {
  // A forwarded reply goes to the business's contact: its bounce says nothing about the person.
  const sends = bounced.filter(({ purpose }) => purpose !== 'reply_forward');
  if (sends.length === 0) return;
  const businessIds = [...new Set(sends.map(({ business_id }) => business_id))];
  const own = new Set((await ownEmailSenders(tx, businessIds)).map(({ business_id }) => business_id));
  const suppressions = sends.map(({ business_id, email }) => ({
    businessId: business_id,
    email,
    reason: 'bounce' as const,
    platformWide: !own.has(business_id),
  }));
  await suppress(tx, hash, suppressions, now);
}

/** As it is kept: one row an attempt; its token is the guard, and is not. */
export const attemptRow = ({
  business_id,
  id,
  attempt_token,
  attempt,
  provider,
  answer,
  startedAt,
  endedAt,
}: EndedAttempt) => ({
  business_id,
  send_id: id,
  attempt_token,
  attempt,
  // What the operator has to put right is the provider's refusal all the same.
  outcome: answer.outcome === 'not_set_up' ? 'refused' : answer.outcome,
  error_code: answer.outcome === 'accepted' ? null : answer.errorCode,
  provider,
  provider_id: 'providerId' in answer ? (answer.providerId ?? null) : null,
  started_at: startedAt.toISOString(),
  ended_at: endedAt.toISOString(),
});

/**
 * Writes down the attempts that most are: emails that were taken, and from which nothing follows. One round trip, since
 * nothing has to be looked at before it is written. Answers the others, which are for `record`.
 */
export async function recordAcceptedEmails(
  pool: Pool,
  attempts: readonly EndedAttempt[],
): Promise<EndedAttempt[]> {
  const taken = attempts.filter(isEmailTaken).sort(byId);
  if (taken.length === 0) return [...attempts];
  const rows = JSON.stringify(taken.map(attemptRow));
  const writes = TransactionEnd.finalWrites((send) => {
    // The people first, as everywhere: an erasure comes wholly before or wholly after.
    send(lockRecipients, ...recipientKeys(taken));
    return send(acceptEmails, rows);
  });
  const accepted = await transaction(pool, async () => writes, GROUP_TRANSACTION);
  const done = new Set(accepted.map(keyText));
  return attempts.filter((attempt) => !done.has(keyText(attempt)));
}

/** Only what goes to no number is an email. */
const isEmailTaken = ({ answer, number }: EndedAttempt): boolean =>
  answer.outcome === 'accepted' && number === null;
