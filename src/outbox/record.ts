import { type Client, isOnCluster, type Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, type SendWrite, TransactionEnd, transaction } from '../db/transaction.ts';
import type { Hasher } from '../kit/seal.ts';
import type { Language } from '../language/languages.ts';
import type { ProviderResponse, Refusal, WhyChosen } from '../providers/provider.ts';
import { rememberNotOnWhatsapp, suppress } from '../recipients/suppressions.ts';
import { holdRefusedTemplates } from '../templates/templates.ts';
import { afterResponse } from './afterResponse.ts';
import { lockOrStop } from './carrierStops.ts';
import { type LockedSend, lockRecipients } from './lockSql.ts';
import { businessesOf, byId, keyArrays, keyText, recipientKeys } from './send.ts';
import { acceptEmails, insertAttempts } from './sendsSql.ts';
import { cancelled, withSiblings } from './siblings.ts';
import { noteSubmitted, ownEmailSenders, refusedBefore } from './sql.ts';
import { isWaiting } from './states.ts';
import { makesDue, type SendTransition, type TransitionResult, transitionWrites } from './transition.ts';

/** How an attempt ended. */
export interface EndedAttempt {
  /** As it was submitted: the recipient's number may have changed since. Null in place of a number that is not known. */
  send: LockedSend;
  provider: string;
  /** The language of the WhatsApp template that it used, if any. */
  templateLanguage: Language;
  answer: ProviderResponse;
  startedAt: Date;
  endedAt: Date;
}

export interface RecordDeps {
  hash: Hasher;
  random: () => number;
}

/**
 * Records how a group of attempts ended, in the caller's transaction. The attempt's token guards it: if the send was ended
 * as unknown or erased meanwhile, the outcome matches no row and is dropped. If a delivery report has already changed the
 * send, only the attempt is added.
 */
export async function recordAttempts(
  tx: Client,
  { hash, random }: RecordDeps,
  attempts: readonly EndedAttempt[],
  now: Date,
): Promise<TransactionEnd<TransitionResult>> {
  const stops = attempts.flatMap((attempt) =>
    isRefusal(attempt.answer, 'stopped')
      ? [{ key: attempt.send, channel: attempt.send.channel, number: attempt.send.phone }]
      : [],
  );
  const keys = attempts.map(({ send }) => send);
  const { concerned, cancelled } = await lockOrStop(tx, hash, keys, stops, now);
  const byKey = new Map(concerned.map((send) => [keyText(send), send]));
  const matched = attempts.flatMap((attempt) => {
    const send = byKey.get(keyText(attempt.send));
    return send?.attempt_token === attempt.send.attempt_token ? [{ attempt, send }] : [];
  });
  if (matched.length === 0) return TransactionEnd.noFinalWrites({ deliveries: cancelled, due: false });

  const refused = await refusedEarlier(tx, matched);
  const changes = matched.map(({ attempt: { answer }, send }): SendTransition => {
    if (send.state !== 'submitting') return { before: send, after: { ...send, attempt_token: null } };
    const refusedBefore = refused.has(keyText(send));
    return { before: send, after: afterResponse(send, { answer, refusedBefore }, now, random) };
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
 * Allows one waiting send per message and channel. If the message was announced again during a call that the provider did
 * not accept, the newer send supersedes the one that would be queued again.
 */
function withoutTwoWaiting(changes: readonly SendTransition[], concerned: readonly LockedSend[], now: Date) {
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
  // A superseded email does not affect held escalations: the newer email decides about them.
  const isSupersededEmail = ({ after }: SendTransition): boolean =>
    after.channel === 'email' && after.state === 'cancelled';
  const deciding = final.filter((change) => !isSupersededEmail(change));
  return [...withSiblings(deciding, concerned, now), ...final.filter(isSupersededEmail)];
}

interface Matched {
  attempt: EndedAttempt;
  send: LockedSend;
}

/** The sends with an earlier refused attempt, read only for those that may run out of attempts now. */
async function refusedEarlier(tx: Client, matched: readonly Matched[]): Promise<Set<string>> {
  const repeated = matched.filter(
    ({ attempt, send }) => send.attempts > 1 && attempt.answer.outcome === 'not_taken',
  );
  if (repeated.length === 0) return new Set();
  return new Set((await refusedBefore(tx, ...keyArrays(repeated.map(({ send }) => send)))).map(keyText));
}

/**
 * Notes the numbers that a message may have reached: replies from them go to the business that wrote last. An
 * acknowledgement of a reply does not count as writing.
 */
function noteSubmittedTo(send: SendWrite, hash: Hasher, matched: readonly Matched[]): void {
  const submitted = matched.flatMap(({ attempt: { answer, send: submittedSend }, send }) => {
    const { business_id, channel, phone } = submittedSend;
    const mayHaveReached = answer.outcome === 'accepted' || answer.outcome === 'unknown';
    if (!mayHaveReached || channel === 'email' || phone === null || send.message_id === null) return [];
    const submitted_at = send.submitted_at?.toISOString();
    return [{ business_id, channel, number_hash: `\\x${hash.hex('phone', phone)}`, submitted_at }];
  });
  if (submitted.length > 0) send(noteSubmitted, JSON.stringify(submitted));
}

const isRefusal = (answer: ProviderResponse, because: Refusal): boolean =>
  answer.outcome === 'refused' && answer.because === because;

/** Some refusals reveal that an address, a number or a template cannot be used for later sends either. */
async function rememberRefusals(tx: Client, hash: Hasher, matched: readonly Matched[], now: Date) {
  const refusedFor = (because: Refusal): Matched[] =>
    matched.filter(({ attempt: { answer } }) => isRefusal(answer, because));
  // An acknowledgement answers a WhatsApp message from that number, so the number is on WhatsApp.
  const notOnWhatsapp = refusedFor('not_on_whatsapp').flatMap(({ attempt: { send } }) =>
    send.phone === null || send.purpose === 'reply_ack'
      ? []
      : [{ businessId: send.business_id, number: send.phone }],
  );
  await rememberNotOnWhatsapp(tx, hash, notOnWhatsapp, now);
  const undeliverable = refusedFor('address').flatMap(({ send }) => (send.channel === 'email' ? [send] : []));
  await suppressUndeliverable(tx, hash, undeliverable, now);
  const templates = refusedFor('template').flatMap(({ attempt: { templateLanguage: language }, send }) =>
    send.order_status === null ? [] : [{ language, status: send.order_status }],
  );
  await holdRefusedTemplates(tx, templates);
}

/** Suppresses bounced addresses for the business and, if it uses the shared sending domain, for all businesses. */
export async function suppressUndeliverable(
  tx: Client,
  hash: Hasher,
  bounced: readonly LockedSend[],
  now: Date,
): Promise<void> {
  // A forwarded reply goes to the business's contact, so its bounce says nothing about the recipient's address.
  const sends = bounced.filter(({ purpose }) => purpose !== 'reply_forward');
  if (sends.length === 0) return;
  const own = new Set((await ownEmailSenders(tx, businessesOf(sends))).map(({ business_id }) => business_id));
  const suppressions = sends.map(({ business_id, email }) => ({
    businessId: business_id,
    email,
    reason: 'bounce' as const,
    platformWide: !own.has(business_id),
  }));
  await suppress(tx, hash, suppressions, now);
}

/** The row of an attempt. `attempt_token` is compared with the send's and not stored. */
const attemptRow = ({ send, provider, answer, startedAt, endedAt }: EndedAttempt) => ({
  business_id: send.business_id,
  send_id: send.id,
  attempt_token: send.attempt_token,
  attempt: send.attempts,
  // The column has no value for a provider account that is not set up; the provider refused all the same.
  outcome: answer.outcome === 'not_set_up' ? 'refused' : answer.outcome,
  error_code: answer.outcome === 'accepted' ? null : answer.errorCode,
  provider,
  provider_id: 'providerId' in answer ? (answer.providerId ?? null) : null,
  ...choiceOf(answer),
  started_at: startedAt.toISOString(),
  ended_at: endedAt.toISOString(),
});

/** Why its provider was asked; null: it stands first in the order. */
function choiceOf({ calls = [] }: ProviderResponse): ProviderChoice {
  const last = calls.at(-1);
  const before = calls.slice(0, -1).map(({ provider, answer }) => ({
    provider,
    error_code: answer.outcome === 'accepted' ? null : answer.errorCode,
  }));
  return {
    chosen_because: last === undefined || last.because === 'order' ? null : last.because,
    passed_over: before.length === 0 ? null : before,
  };
}

/** How the provider of an attempt was chosen. */
export interface ProviderChoice {
  chosen_because: Exclude<WhyChosen, 'order'> | null;
  /** Who was asked before it and took nothing. */
  passed_over: { provider: string; error_code: string | null }[] | null;
}

/**
 * Records accepted emails that change no other send, which are most attempts, in one round trip without reading first.
 * Returns the other attempts, for `recordAttempts`.
 */
export async function recordAcceptedEmails(
  pool: Pool,
  attempts: readonly EndedAttempt[],
): Promise<EndedAttempt[]> {
  const isAcceptedEmail = ({ answer, send }: EndedAttempt): boolean =>
    answer.outcome === 'accepted' && send.channel === 'email';
  const emails = isOnCluster(pool)
    ? []
    : attempts.filter(isAcceptedEmail).sort((a, b) => byId(a.send, b.send));
  if (emails.length === 0) return [...attempts];
  const rows = JSON.stringify(emails.map(attemptRow));
  const writes = TransactionEnd.finalWrites((send) => {
    // Recipients are locked first, as everywhere: an erasure comes entirely before or entirely after.
    send(lockRecipients, ...recipientKeys(emails.map((email) => email.send)));
    return send(acceptEmails, rows);
  });
  const accepted = await transaction(pool, async () => writes, GROUP_TRANSACTION);
  const done = new Set(accepted.map(keyText));
  return attempts.filter(({ send }) => !done.has(keyText(send)));
}
