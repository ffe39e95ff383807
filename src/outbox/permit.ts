import { lockAccounts } from '../businesses/billingSql.ts';
import type { Settings } from '../businesses/settings.ts';
import { type AllowanceExceeded, lockedUsage, type Usage } from '../businesses/usage.ts';
import { LINK_LIFETIME_MS, MESSAGED_NUMBER_MEMORY_MS } from '../config/limits.ts';
import type { Channel } from '../contract/channels.ts';
import type { Client } from '../db/pool.ts';
import { type SendWrite, TransactionEnd } from '../db/transaction.ts';
import { later, SECOND } from '../kit/clock.ts';
import { randomText, randomToken, sha256 } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { DEFAULT_LANGUAGE, type Language, languageFor } from '../language/languages.ts';
import type { StopReason } from '../nudges/gates.ts';
import type { KnownShipment } from '../orders/shipmentReadsSql.ts';
import { type NewEvent, ofBusinessAlone } from '../webhooks/events.ts';
import type { ClaimedSend } from './claimSql.ts';
import { type Facts, loadFacts, type OwnSender } from './facts.ts';
import { lockAll, stillClaimed } from './lock.ts';
import type { LockedSend } from './lockSql.ts';
import { NO_CAPS, RunningBalances, whyStopped } from './runningBalances.ts';
import { businessesOf, keyArrays } from './send.ts';
import { shipmentsOfMails } from './shipmentsOfMails.ts';
import { unsent, withSiblings } from './siblings.ts';
import { insertLinks, markForwarded, rememberNumbers, replaceLinks } from './sql.ts';
import {
  deferred,
  makesDue,
  type SendTransition,
  type TransitionResult,
  transitionWrites,
} from './transition.ts';

/** A call normally starts at once. After a pause of the process longer than this, it does not start at all. */
const START_WITHIN_MS = 10 * SECOND;
/** Time after the call's own timeout to record its outcome. Then another worker ends the send as unknown. */
const RECORD_WITHIN_MS = 10 * SECOND;
const ATTEMPT_TOKEN_LENGTH = 16;

/** A send that may be submitted to its provider, once. */
export interface Permitted {
  send: LockedSend;
  settings: Settings;
  sender: OwnSender | null;
  /** The business's own senders with single providers of the channel, by their names. */
  providerSenders: Readonly<Record<string, string>>;
  /** The language of our words, and of the WhatsApp template, which may not be approved there. */
  language: Language;
  templateLanguage: Language;
  /** The secret in the link into the inbox; null: the send has no link. */
  linkToken: string | null;
  /** What a mail shows of its order's parcels. */
  shipments: readonly KnownShipment[];
  /** The call must not start after this. */
  startBefore: Date;
}

interface PermitResult extends TransitionResult {
  permitted: Permitted[];
  /** Sends that a gate stopped; `reason` says why. */
  stopped: LockedSend[];
}

interface PermitDeps {
  hash: Hasher;
  timeoutMs: Record<Channel, number>;
}

/**
 * Permits a group of claimed sends, in the caller's transaction: it takes the locks, asks every gate again, spends the
 * credits and sets the state to `submitting`. After the commit, a send is queued again only if the provider certainly did
 * not accept it.
 */
export async function permit(
  tx: Client,
  { hash, timeoutMs }: PermitDeps,
  claimed: readonly ClaimedSend[],
  lease: string,
  now: Date,
): Promise<TransactionEnd<PermitResult>> {
  const paying = businessesOf(claimed.filter(({ channel }) => channel !== 'email'));
  // Pipelined, so the locks are still taken in the common order.
  const [concerned, accounts, usage] = await Promise.all([
    lockAll(tx, claimed),
    paying.length > 0 ? lockAccounts(tx, paying) : [],
    lockedUsage(tx, businessesOf(claimed), now),
  ]);
  const sends = stillClaimed(concerned, claimed, lease, 'queued');
  if (sends.length === 0)
    return TransactionEnd.noFinalWrites({ permitted: [], stopped: [], deliveries: 0, due: false });

  const balances = new RunningBalances(accounts);
  // Pipelined: the shipments cost no round trip.
  const [facts, shipmentsOf] = await Promise.all([
    loadFacts(tx, hash, sends, now),
    shipmentsOfMails(tx, sends),
  ]);
  const judged = sends.map((send) => judge(send, facts, balances, usage, timeoutMs[send.channel], now));
  const changes = withSiblings(judged, concerned, now);
  const permitted = judged.flatMap(({ permitted }) =>
    permitted ? [{ ...permitted, shipments: shipmentsOf(permitted.send) }] : [],
  );
  const stopped = judged.flatMap(({ after, stop }) => (stop ? [after] : []));
  const writeChanges = await transitionWrites(tx, changes, now, usage.exceeded.map(allowanceEvent));
  return TransactionEnd.finalWrites((send) => {
    const deliveries = writeChanges(send);
    usage.write(send);
    writeLinksOf(send, permitted, now);
    rememberNumbersOf(send, hash, permitted, now);
    markForwardedReplies(send, permitted);
    return () => ({ permitted, stopped, deliveries: deliveries(), due: makesDue(changes, now) });
  });
}

interface Judged extends SendTransition {
  stop: StopReason | null;
  permitted: Omit<Permitted, 'shipments'> | null;
}

function judge(
  before: LockedSend,
  facts: Facts,
  balances: RunningBalances,
  usage: Usage,
  timeoutMs: number,
  now: Date,
): Judged {
  // Before the gates: caps and credit are judged when it goes.
  const quietUntil = facts.quietUntil(before);
  if (quietUntil !== null) return { ...deferred(before, quietUntil, now), stop: null, permitted: null };
  const settings = facts.settings(before);
  // The first attempt counts against the caps; a retry does not count again.
  const caps =
    before.attempts > 0
      ? NO_CAPS
      : { emailsToday: usage.emailsLeft(settings), textsToday: usage.textsLeft(settings, now) };
  const stop = whyStopped(before, facts, balances, caps);
  const located: LockedSend = { ...before, country: before.phone_country ?? before.country };
  if (stop !== null)
    return { before, after: unsent(located, 'skipped', stop.reason, now), stop, permitted: null };
  const after: LockedSend = {
    ...located,
    lease: null,
    state: 'submitting',
    due_at: later(now, START_WITHIN_MS + timeoutMs + RECORD_WITHIN_MS),
    attempt_token: randomText(ATTEMPT_TOKEN_LENGTH),
    attempts: before.attempts + 1,
    reserved: false,
    charged: before.credits > 0,
    submitted_at: now,
  };
  balances.spend({ before, after });
  // Service mail is not a nudge: it counts against neither the cap nor the allowance.
  if (before.attempts === 0 && before.message_id !== null) {
    if (before.channel === 'email') usage.countEmail(settings);
    if (before.channel === 'sms') usage.countText(settings);
  }
  const permitted = {
    send: after,
    settings,
    sender: facts.sender(before),
    providerSenders: facts.providerSenders(before),
    language: languageFor(before.language, settings.language),
    templateLanguage: before.channel === 'whatsapp' ? facts.template(before).language : DEFAULT_LANGUAGE,
    linkToken: leadsToInbox(before) ? randomToken() : null,
    startBefore: later(now, START_WITHIN_MS),
  };
  return { before, after, stop: null, permitted };
}

const leadsToInbox = ({ purpose }: LockedSend): boolean =>
  purpose !== 'reply_forward' && purpose !== 'reply_ack';

function writeLinksOf(send: SendWrite, permitted: readonly Permitted[], now: Date): void {
  const links = permitted.flatMap(
    ({ send: { business_id, id: send_id, recipient_id, message_id }, linkToken }) => {
      if (linkToken === null) return [];
      const token_hash = `\\x${sha256(linkToken).toString('hex')}`;
      return [{ business_id, send_id, token_hash, recipient_id, message_id }];
    },
  );
  if (links.length === 0) return;
  const write = permitted.every((one) => one.send.attempts === 1) ? insertLinks : replaceLinks;
  send(write, JSON.stringify(links), now, later(now, LINK_LIFETIME_MS));
}

/** Committed before the call, so that a STOP in reply always finds the business that wrote to the number. */
function rememberNumbersOf(send: SendWrite, hash: Hasher, permitted: readonly Permitted[], now: Date): void {
  const numbers = permitted.flatMap(({ send: { business_id, channel, message_id, phone } }) =>
    channel === 'email' || message_id === null || phone === null
      ? []
      : [{ business_id, channel, number_hash: `\\x${hash.hex('phone', phone)}` }],
  );
  if (numbers.length === 0) return;
  send(rememberNumbers, JSON.stringify(numbers), later(now, MESSAGED_NUMBER_MEMORY_MS));
}

function markForwardedReplies(send: SendWrite, permitted: readonly Permitted[]): void {
  const replies = permitted.flatMap(({ send: { business_id, purpose, about } }) =>
    purpose === 'reply_forward' && about !== null ? [{ business_id, id: about }] : [],
  );
  if (replies.length > 0) send(markForwarded, ...keyArrays(replies));
}

const allowanceEvent = ({ businessId, allowance, used, periodEnd }: AllowanceExceeded): NewEvent => ({
  type: 'plan.allowance_exceeded',
  data: { allowance, used, period_end: periodEnd?.toISOString() ?? null },
  ...ofBusinessAlone(businessId),
});
