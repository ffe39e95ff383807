import type { Settings } from '../businesses/settings.ts';
import type { Mode } from '../contract/channels.ts';
import { accountFacts, UNMARKED_ADDRESS } from '../nudges/facts.ts';
import { RecordedFacts } from '../outbox/facts.ts';
import type { FactsRow } from '../outbox/factsSql.ts';
import { recipientFrom } from '../recipients/recipientRow.ts';
import type { RecipientRow } from '../recipients/sql.ts';
import { keyOf, type MessageState, PushSnapshot, type WaitingSend } from './snapshot.ts';

/** An address or a number, with its keyed hash. */
export interface Hashed {
  businessId: string;
  text: string;
  hex: string;
}

/** Turns the loaded rows into the lookups that decisions use. */
export function buildSnapshot(
  row: SnapshotRow,
  emails: Hashed[],
  numbers: Hashed[],
  now: Date,
): PushSnapshot {
  const facts = new RecordedFacts(row);
  const snapshot = new PushSnapshot(facts.prices, facts.reviews);
  for (const business of row.businesses ?? [])
    snapshot.businesses.set(
      business.id,
      businessFrom(business, facts.sender(business.id, 'email') !== null, now),
    );
  for (const { businessId, text, hex } of emails) {
    const address = facts.address(businessId, hex);
    if (address !== UNMARKED_ADDRESS) snapshot.addresses.set(keyOf(businessId, text), address);
  }
  const holders = new Map((row.holders ?? []).map((h) => [keyOf(h.business_id, h.phone), h.id]));
  for (const { businessId, text, hex } of numbers) {
    const heldBy = holders.get(keyOf(businessId, text)) ?? null;
    snapshot.numbers.set(keyOf(businessId, text), { ...facts.number(businessId, hex), heldBy });
  }
  for (const recipient of row.recipients ?? []) {
    snapshot.recipients.set(keyOf(recipient.business_id, recipient.email), recipientOf(recipient));
  }
  for (const message of row.messages ?? [])
    snapshot.keepMessage(message.business_id, messageFrom(message, row.waiting ?? []));
  return snapshot;
}

const messageFrom = (row: SnapshotMessage, waiting: readonly SnapshotSend[]): MessageState => ({
  id: row.id,
  recipientId: row.recipient_id,
  recipientEmail: row.recipient_email,
  subject: row.subject,
  body: row.body,
  reference: row.reference,
  orderStatus: row.order_status,
  orderStatusAt: dateOrNull(row.order_status_at),
  trackingNumber: row.tracking_number,
  milestoneAt: dateOrNull(row.milestone_at),
  toldByHand: (row.told_by_hand ?? []).map(({ order_status: orderStatus, at }) => {
    return { orderStatus, at: new Date(at) };
  }),
  kind: row.kind,
  status: row.status,
  scheduledFor: dateOrNull(row.scheduled_for),
  unreadAgain: row.unread_again,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  waiting: waiting
    .filter((send) => send.message_id === row.id)
    .map(({ id, channel, state, reserved, charged, fallback_of: fallbackOf, credits, armed }) => {
      return { id, channel, state, reserved, charged, fallbackOf, credits, armed };
    }),
});

const businessFrom = (row: SnapshotBusiness, ownEmailSender: boolean, now: Date) => ({
  id: row.id,
  name: row.name,
  account: accountFacts(
    {
      ...row,
      periodEnd: dateOrNull(row.plan_period_end),
      smsMode: row.sms_mode,
      whatsappMode: row.whatsapp_mode,
    },
    ownEmailSender,
    now,
  ),
  spendable: row.spendable,
  paidPerRecipientHour: row.paid_per_recipient_hour,
  quietHours: row.quiet_hours,
  quietHoursExcept: row.quiet_hours_except,
  language: row.language,
});

const recipientOf = (row: SnapshotRecipient) => ({
  ...recipientFrom({
    ...row,
    sms_status_at: dateOrNull(row.sms_status_at),
    sms_consent_at: dateOrNull(row.sms_consent_at),
    whatsapp_status_at: dateOrNull(row.whatsapp_status_at),
  }),
  unsubscribed: row.unsubscribed_at !== null,
  paidLastHour: row.paid_last_hour,
});

const dateOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** The row of the statements that load a group. Times are text, since each part is JSON. */
export interface SnapshotRow extends FactsRow {
  businesses: SnapshotBusiness[] | null;
  recipients: SnapshotRecipient[] | null;
  holders: { business_id: string; phone: string; id: string }[] | null;
  messages: SnapshotMessage[] | null;
  waiting: SnapshotSend[] | null;
}

/** An API key that is not revoked; `active` says whether its business is. */
export interface SnapshotCaller {
  business_id: string;
  id: string;
  active: boolean;
}

interface SnapshotBusiness
  extends Pick<Settings, 'id' | 'name' | 'active' | 'paused' | 'plan' | 'countries' | 'language'> {
  plan_period_end: string | null;
  sms_mode: Mode;
  whatsapp_mode: Mode;
  paid_per_recipient_hour: number | null;
  quiet_hours: string | null;
  quiet_hours_except: Settings['quietHoursExcept'];
  spendable: number;
}

/** The part of a recipient that a plain push needs. */
export interface SnapshotPerson {
  business_id: string;
  id: string;
  email: string;
  phone: string | null;
  language: string | null;
  /** Whether the recipient has no number, consent, stop or unsubscription, and never had one. */
  plain: boolean;
}

/** A row as JSON. */
type InJson<Row> = { [Column in keyof Row]: Row[Column] extends Date | null ? string | null : Row[Column] };

interface SnapshotRecipient extends InJson<RecipientRow> {
  business_id: string;
  unsubscribed_at: string | null;
  paid_last_hour: number;
}

interface SnapshotMessage
  extends Pick<MessageState, 'id' | 'subject' | 'body' | 'reference' | 'kind' | 'status'> {
  business_id: string;
  recipient_id: string;
  recipient_email: string;
  order_status: string | null;
  order_status_at: string | null;
  tracking_number: string | null;
  milestone_at: string | null;
  told_by_hand: { order_status: string; at: string }[] | null;
  scheduled_for: string | null;
  unread_again: boolean;
  created_at: string;
  updated_at: string;
}

interface SnapshotSend extends Omit<WaitingSend, 'fallbackOf'> {
  business_id: string;
  message_id: string;
  fallback_of: string | null;
}
