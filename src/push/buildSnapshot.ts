import { effectivePlan } from '../businesses/settings.ts';
import { recipientFrom } from '../recipients/recipientRow.ts';
import { keyOf, PushSnapshot } from './snapshot.ts';
import type { SnapshotBusiness, SnapshotRecipient, SnapshotRow } from './snapshotRows.ts';

/** An address or a number, with its keyed hash. */
export interface Hashed {
  businessId: string;
  text: string;
  hex: string;
}

/** What was loaded, as the decisions look things up. */
export function buildSnapshot(
  row: SnapshotRow,
  emails: Hashed[],
  numbers: Hashed[],
  now: Date,
): PushSnapshot {
  const prices = new Map((row.prices ?? []).map(({ country, credits }) => [country, credits]));
  const snapshot = new PushSnapshot(prices, { inReview: new Set(row.in_review) });
  for (const business of row.businesses ?? [])
    snapshot.businesses.set(business.id, businessFrom(business, now));

  const suppressions = new Map((row.suppressions ?? []).map((s) => [keyOf(s.business_id, s.email_hash), s]));
  const platform = new Set((row.platform ?? []).map(({ email_hash }) => email_hash));
  for (const { businessId, text, hex } of emails) {
    const own = suppressions.get(keyOf(businessId, hex));
    if (!own && !platform.has(hex)) continue;
    snapshot.addresses.set(keyOf(businessId, text), {
      unsubscribed: own?.unsubscribed ?? false,
      suppressed: own?.suppressed ?? false,
      platformSuppressed: platform.has(hex),
    });
  }

  const holders = new Map((row.holders ?? []).map((h) => [keyOf(h.business_id, h.phone), h.id]));
  const stops = new Map(
    (row.stops ?? []).map((s) => [keyOf(s.business_id, s.channel, s.number_hash), s.made_by]),
  );
  const unreachable = new Set((row.unreachable ?? []).map((u) => keyOf(u.business_id, u.number_hash)));
  for (const { businessId, text, hex } of numbers) {
    snapshot.numbers.set(keyOf(businessId, text), {
      heldBy: holders.get(keyOf(businessId, text)) ?? null,
      smsStop: stops.get(keyOf(businessId, 'sms', hex)) ?? null,
      whatsappStopped: stops.has(keyOf(businessId, 'whatsapp', hex)),
      notOnWhatsapp: unreachable.has(keyOf(businessId, hex)),
    });
  }

  for (const recipient of row.recipients ?? []) {
    snapshot.recipients.set(keyOf(recipient.business_id, recipient.email), recipientOf(recipient));
  }
  for (const message of row.messages ?? []) {
    snapshot.keepMessage(message.business_id, {
      id: message.id,
      recipientId: message.recipient_id,
      recipientEmail: message.recipient_email,
      subject: message.subject,
      body: message.body,
      reference: message.reference,
      orderStatus: message.order_status,
      kind: message.kind,
      status: message.status,
      scheduledFor: dateOrNull(message.scheduled_for),
      createdAt: new Date(message.created_at),
      updatedAt: new Date(message.updated_at),
      waiting: (row.waiting ?? [])
        .filter((send) => send.message_id === message.id)
        .map(({ id, channel, state, reserved, charged, fallback_of: fallbackOf }) => ({
          id,
          channel,
          state,
          reserved,
          charged,
          fallbackOf,
        })),
    });
  }
  return snapshot;
}

const businessFrom = (row: SnapshotBusiness, now: Date) => ({
  id: row.id,
  name: row.name,
  account: {
    active: row.active,
    paused: row.paused,
    planLapsed:
      effectivePlan({ plan: row.plan, periodEnd: dateOrNull(row.plan_period_end) }, now) === 'lapsed',
    modes: { sms: row.sms_mode, whatsapp: row.whatsapp_mode },
    countries: row.countries,
    ownEmailSender: row.own_email_sender,
  },
  spendable: row.spendable,
  paidPerRecipientHour: row.paid_per_recipient_hour,
});

/** In an answer that is JSON, moments are texts. */
const recipientOf = (row: SnapshotRecipient) => ({
  ...recipientFrom({
    ...row,
    sms_status_at: dateOrNull(row.sms_status_at),
    sms_consent_at: dateOrNull(row.sms_consent_at),
    whatsapp_status_at: dateOrNull(row.whatsapp_status_at),
  }),
  paidLastHour: row.paid_last_hour,
});

const dateOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));
