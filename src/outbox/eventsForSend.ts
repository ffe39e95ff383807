import type { EventContent, PaidEventData } from '../contract/eventTypes.ts';
import { maskPhone } from '../kit/phoneNumber.ts';
import type { NewEvent } from '../webhooks/events.ts';
import type { LockedSend } from './lockSql.ts';
import { reaches } from './send.ts';
import { NEEDLESS, type SendState } from './states.ts';

/** Cancellations without an event: a newer nudge replaced the send, or the message no longer needs one. */
const UNREPORTED_REASONS: readonly (string | null)[] = [...NEEDLESS, 'superseded'];

/** The merchant's events for a transition (interface 6.3). Service mail announces no message and has no events. */
export function eventsForSend(before: LockedSend, after: LockedSend): NewEvent[] {
  const { message_id } = after;
  if (message_id === null) return [];
  const contents =
    after.channel === 'email'
      ? emailEvents(before, after, message_id)
      : paidEvents(before, after, message_id);
  return contents.map((content) => ({
    ...content,
    businessId: after.business_id,
    messageId: message_id,
    recipientId: after.recipient_id,
  }));
}

function emailEvents(before: LockedSend, after: LockedSend, messageId: string): EventContent[] {
  const data = {
    message_id: messageId,
    recipient_email: after.email,
    subject: after.subject ?? '',
    reference: after.reference,
    channel: 'email',
  } as const;
  const contents: EventContent[] = [];
  if (reaches('delivered_at', before, after)) contents.push({ type: 'message.delivered', data });
  if (reaches('bounced_at', before, after)) contents.push({ type: 'message.bounced', data });
  else if (enters(before, after, ['failed', 'rejected'])) {
    contents.push({ type: 'message.failed', data: { ...data, reason: after.reason ?? 'failed' } });
  }
  if (enters(before, after, ['skipped', 'cancelled']) && !UNREPORTED_REASONS.includes(after.reason)) {
    contents.push({ type: 'message.not_sent', data: { ...data, reason: after.reason ?? 'skipped' } });
  }
  if (reaches('complained_at', before, after)) contents.push({ type: 'message.complained', data });
  return contents;
}

function paidEvents(before: LockedSend, after: LockedSend, messageId: string): EventContent[] {
  const channel = after.channel === 'whatsapp' ? 'whatsapp' : 'sms';
  const data: PaidEventData = {
    message_id: messageId,
    recipient_email: after.email,
    recipient_phone: after.phone === null ? null : maskPhone(after.phone),
    country_code: after.country,
    credits_charged: after.charged ? after.credits : 0,
    channel,
    error_code: after.error_code,
  };
  const contents: EventContent[] = [];
  if (reaches('delivered_at', before, after)) contents.push({ type: `${channel}.delivered`, data });
  if (enters(before, after, ['read'])) contents.push({ type: 'whatsapp.read', data });
  for (const state of ['failed', 'rejected'] as const)
    if (enters(before, after, [state])) contents.push({ type: `${channel}.${state}`, data });
  return contents;
}

const enters = (before: LockedSend, after: LockedSend, states: readonly SendState[]): boolean =>
  before.state !== after.state && states.includes(after.state);
