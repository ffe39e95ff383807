import { recordAudit } from '../businesses/audit.ts';
import { moveCredits } from '../businesses/credits.ts';
import { eventTypes } from '../contract/eventTypes.ts';
import type { ErasureReport } from '../contract/recipients.ts';
import type { Client } from '../db/pool.ts';
import { preferIndexes } from '../db/sql.ts';
import { allowLongStatements } from '../db/statement.ts';
import { writeNow } from '../db/transaction.ts';
import { type Clock, MINUTE, SECOND } from '../kit/clock.ts';
import { lockNumber } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { forgetOrdersOf, lockOrdersOf } from '../orders/forget.ts';
import { holdOrders } from '../orders/projector.ts';
import { type DeletedSends, deleteSends } from '../outbox/sendsSql.ts';
import { type StoredRecipient, waitForRecipient } from '../recipients/sql.ts';
import { keepUnsubscription } from '../recipients/stopsSql.ts';
import { forgetSubjectsOf } from '../search/indexer.ts';
import { sendCounts } from '../usage/sql.ts';
import {
  deleteCalls,
  deleteExpiredParts,
  deleteResponses,
  deleteWebhookResponses,
  PERSONAL_IN_EVENTS,
  scrubBatchParts,
  scrubDetails,
  scrubEvents,
  scrubOrderEvents,
} from './copiesSql.ts';
import { spellingsOf } from './spellings.ts';
import {
  countStops,
  deleteBelongings,
  deleteMessageEvents,
  deleteMessages,
  deletePerson,
  forgetNumber,
  forgetSuppressedAddress,
  keepStop,
  lockErasedPerson,
  lockMessagesOfPerson,
  pseudonymiseAudit,
  releaseCredits,
} from './sql.ts';

export interface ErasureDeps {
  clock: Clock;
  hash: Hasher;
}

/** `email` is normalised; `actor` is for the audit. */
export interface ErasureRequest {
  businessId: string;
  email: string;
  actor: string;
}

/** A person can have 100,000 messages. The pool's limits suit statements on a few rows and callers that can retry. */
const STATEMENT_MAX_MS = 5 * MINUTE;
/** A person who gets pushes all the time is rarely unlocked. */
const WAIT_MAX_MS = 30 * SECOND;

/**
 * Erases a person with one business (interface 2.11), in the caller's transaction. The recipient's lock serialises it with
 * pushes to the person; pushes to others continue. Stops and suppressions must stay in force, so they stay under a keyed
 * hash. An unknown address gives a report of zeros.
 */
export async function eraseRecipient(
  tx: Client,
  { clock, hash }: ErasureDeps,
  request: ErasureRequest,
): Promise<ErasureReport> {
  const { businessId, email } = request;
  await allowLongStatements(tx, { statementMs: STATEMENT_MAX_MS, lockMs: WAIT_MAX_MS });
  await preferIndexes(tx);
  await lockOrdersOf(tx, businessId, email);
  await waitForRecipient(tx, lockNumber('recipient', businessId, email));
  const [person] = await lockErasedPerson(tx, businessId, email);
  if (person) return erasePerson(tx, { clock, hash }, request, person);
  // An operator may have suppressed the address after an earlier erasure.
  const emailHash = hash('email', email);
  await forgetSuppressedAddress(tx, businessId, emailHash);
  await scrubDetails(tx, businessId);
  await holdOrders(tx, clock, businessId);
  const now = clock.now();
  const { namedIds, ...orders } = await eraseOrders(tx, businessId, email, null, now);
  const [id] = namedIds;
  // Tracking events named the address, but nothing was sent to it.
  if (id !== undefined) await auditErasure(tx, now, request, { id, email: pseudonym(emailHash) });
  return { ...NOTHING_ERASED, ...orders };
}

async function eraseOrders(
  tx: Client,
  businessId: string,
  email: string,
  personId: string | null,
  now: Date,
) {
  // Before the orders, by which some of them are found.
  await deleteCalls(tx, businessId, email, spellingsOf(email));
  const { deleted, namedIds } = await forgetOrdersOf(tx, businessId, email, now);
  const ids = personId === null ? namedIds : [personId, ...namedIds];
  const [scrubbed] = await scrubOrderEvents(tx, businessId, ids);
  await deleteWebhookResponses(tx, businessId, ids, 'order.updated');
  const webhook_payloads_scrubbed = scrubbed?.webhook_payloads_scrubbed ?? 0;
  return { message_events_deleted: deleted, webhook_payloads_scrubbed, namedIds };
}

const auditErasure = (
  tx: Client,
  now: Date,
  { businessId, actor }: ErasureRequest,
  recipient: { id: string; email: string },
): Promise<void> => recordAudit(tx, now, { businessId, actor, action: 'recipient.erased', recipient });

async function erasePerson(
  tx: Client,
  { clock, hash }: ErasureDeps,
  request: ErasureRequest,
  person: StoredRecipient,
): Promise<ErasureReport> {
  const { businessId, email } = request;
  const now = clock.now();
  const at = [businessId, person.id] as const;
  const emailHash = hash('email', email);
  await lockMessagesOfPerson(tx, ...at);
  await forgetSubjectsOf(tx, ...at);
  await holdOrders(tx, clock, businessId);
  const [sends] = await deleteSends(tx, ...at);
  const [messageEvents] = await deleteMessageEvents(tx, ...at, eventTypes);
  const [messages] = await deleteMessages(tx, ...at);
  const [belongings] = await deleteBelongings(tx, ...at);
  // After the messages: a transaction that held one of them may have written another event about this person.
  const orders = await eraseOrders(tx, businessId, email, person.id, now);
  const [payloads] = await scrubEvents(tx, ...at, PERSONAL_IN_EVENTS, null);
  await deleteWebhookResponses(tx, businessId, [person.id], null);
  await deleteExpiredParts(tx, businessId, now);
  const [parts] = await scrubBatchParts(tx, ...at);
  const [responses] = await deleteResponses(tx, ...at);
  await scrubDetails(tx, businessId);
  const [audit] = await pseudonymiseAudit(tx, ...at, pseudonym(emailHash));
  const number = await keepOnlyStops(tx, hash, businessId, person, now);
  if (person.unsubscribed_at) await keepUnsubscription(tx, businessId, emailHash, person.unsubscribed_at);
  const [suppressions] = await forgetSuppressedAddress(tx, businessId, emailHash);
  await deletePerson(tx, ...at);
  await auditErasure(tx, now, request, { id: person.id, email: pseudonym(emailHash) });
  if (sends) await returnCredits(tx, businessId, sends, now);
  return {
    ...NOTHING_ERASED,
    ...belongings,
    message_events_deleted: (messageEvents?.message_events_deleted ?? 0) + orders.message_events_deleted,
    webhook_payloads_scrubbed: (payloads?.webhook_payloads_scrubbed ?? 0) + orders.webhook_payloads_scrubbed,
    ...number,
    messages_deleted: messages?.count ?? 0,
    channel_sends_deleted: sends?.paid ?? 0,
    queued_jobs_cancelled: sends?.waiting ?? 0,
    idempotency_records_deleted: (parts?.pushes ?? 0) + (responses?.deleted ?? 0),
    audit_entries_pseudonymised: audit?.count ?? 0,
    subscription_deleted: true,
    suppressions_kept: suppressions?.count ?? 0,
  };
}

/** A send that never went out costs nothing: its credits are reserved or, after a failed attempt, already charged. */
async function returnCredits(tx: Client, businessId: string, { reserved, spent }: DeletedSends, now: Date) {
  if (reserved > 0) await releaseCredits(tx, businessId, reserved);
  const refunds = spent.map(({ id: sendId, credits, country }) => ({
    kind: 'refund' as const,
    businessId,
    sendId,
    credits,
    country,
  }));
  await moveCredits(tx, refunds, now);
  const counted = spent.map(({ channel, credits }) => ({
    businessId,
    at: now,
    counter: `${channel}_credits` as const,
    amount: -credits,
  }));
  await writeNow(tx, (send) => sendCounts(send, counted));
}

const NOTHING_ERASED: ErasureReport = {
  messages_deleted: 0,
  message_events_deleted: 0,
  channel_sends_deleted: 0,
  message_links_deleted: 0,
  whatsapp_replies_deleted: 0,
  webhook_payloads_scrubbed: 0,
  queued_jobs_cancelled: 0,
  idempotency_records_deleted: 0,
  audit_entries_pseudonymised: 0,
  subscription_deleted: false,
  stops_kept: 0,
  suppressions_kept: 0,
  auto_reply_windows_dropped: 0,
  replies_a_forward_email_may_have_carried: 0,
};

/** The same address always gives the same pseudonym, so audit entries of one person still belong together. */
const pseudonym = (emailHash: Buffer): string => `erased:${emailHash.toString('hex')}`;

async function keepOnlyStops(
  tx: Client,
  hash: Hasher,
  businessId: string,
  person: StoredRecipient,
  now: Date,
) {
  const { phone, sms_status, sms_stopped_by, sms_status_at, whatsapp_status, whatsapp_status_at } = person;
  if (phone === null) return {};
  const numberHash = hash('phone', phone);
  if (sms_status === 'stopped' && sms_stopped_by !== null)
    await keepStop(tx, businessId, 'sms', numberHash, sms_stopped_by, sms_status_at ?? now);
  // The firmest maker: a WhatsApp stop is permanent.
  if (whatsapp_status === 'stopped')
    await keepStop(tx, businessId, 'whatsapp', numberHash, 'dashboard', whatsapp_status_at ?? now);
  const [forgotten] = await forgetNumber(tx, businessId, numberHash);
  const [stops] = await countStops(tx, businessId, numberHash);
  return { ...forgotten, ...stops };
}
