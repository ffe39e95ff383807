import { TOLD_BY_HAND_MS } from '../config/limits.ts';
import { knownStatus } from '../contract/orderStatuses.ts';
import type { PushResult } from '../contract/push.ts';
import { earlier } from '../kit/clock.ts';
import type { ApiError } from '../kit/errors.ts';
import { personFacts } from '../nudges/facts.ts';
import type { PersonFacts } from '../nudges/gates.ts';
import type { ShipmentFacts } from '../orders/shipment.ts';
import type { ConsentEntry } from '../recipients/recipient.ts';
import type { NewEvent } from '../webhooks/events.ts';
import { type Nudge, type PlannedSend, planNudge } from './nudge.ts';
import { type OrderChange, orderChangesOf } from './orderChanges.ts';
import type { PushRequest } from './request.ts';
import { type RecipientChangeKind, resolveRecipient } from './resolveRecipient.ts';
import type { BusinessState, MessageState, PushSnapshot, RecipientState, WaitingSend } from './snapshot.ts';

/** Everything that one push changes, and its response. `decide` computes it without I/O. */
export interface Decision {
  businessId: string;
  recipient: RecipientState;
  recipientChange: RecipientChangeKind;
  message: MessageState;
  created: boolean;
  sends: (PlannedSend & { id: string; fallbackOf: string | null })[];
  cancelled: { send: WaitingSend; reason: 'superseded' | 'message_obsolete' }[];
  obsoleted: MessageState[];
  consent: ConsentEntry[];
  events: NewEvent[];
  /** What the push says of a shipment of its order; null: nothing. */
  shipment: ShipmentFacts | null;
  orderChanges: OrderChange[];
  /** Credits reserved by this push, less the reserved credits of the sends it cancels. */
  setAside: number;
  result: PushResult;
}

type PushVerdict = { kind: 'decided'; decision: Decision } | { kind: 'refused'; error: ApiError };

export function decide(
  request: PushRequest,
  business: BusinessState,
  snapshot: PushSnapshot,
  now: Date,
  newId: () => string,
): PushVerdict {
  const person = resolveRecipient(request, business, snapshot, now, newId);
  if (person.kind === 'refused') return person;
  const { recipient, optIn, consent } = person;

  const match =
    request.kind === 'updateable' ? snapshot.updateable(business.id, recipient.id, request.subject) : null;
  const nudged = match ? request.notify === true : request.notify !== false;
  const scheduledFor = nudged ? request.sendAt : null;
  const message = match
    ? { ...updated(match, request, now), ...(nudged && { scheduledFor, unreadAgain: true }) }
    : created(request, recipient, newId(), scheduledFor, now);
  const nudge = nudged ? nudgeFor(request, business, person, snapshot, now) : null;

  const sends = withIds(nudge?.sends ?? [], newId);
  const obsoleted = obsoletedBy(request, business.id, message.id, snapshot);
  const cancelled = [...supersededBy(sends, match?.waiting ?? []), ...obsoleted.flatMap(waitingSendsOf)];
  return {
    kind: 'decided',
    decision: {
      businessId: business.id,
      recipient,
      recipientChange: person.change,
      message,
      created: match === null,
      sends,
      cancelled,
      obsoleted,
      consent,
      events: notSentEvents(business.id, message, sends, obsoleted),
      shipment: request.shipment,
      orderChanges: orderChangesOf(match, message, newId),
      setAside: (nudge?.setAside ?? 0) - cancelled.reduce((sum, { send }) => sum + send.reserved, 0),
      result: resultOf(request, message, { created: match === null, scheduledFor, nudge, optIn }),
    },
  };
}

interface Result {
  created: boolean;
  scheduledFor: Date | null;
  nudge: Nudge | null;
  optIn: PushResult['whatsapp_opt_in'];
}

const resultOf = (
  request: PushRequest,
  message: MessageState,
  { created, scheduledFor, nudge, optIn }: Result,
): PushResult => ({
  id: message.id,
  recipient_email: message.recipientEmail,
  subject: message.subject,
  kind: message.kind,
  status: message.status,
  created,
  scheduled_for: scheduledFor?.toISOString() ?? null,
  nudged: nudge !== null,
  email: nudge?.email ?? null,
  sms: nudge?.sms ?? null,
  sms_units: nudge?.sms?.queued ? 1 : 0,
  whatsapp: nudge?.whatsapp ?? null,
  whatsapp_opt_in: optIn,
  reference: request.reference,
  order_status: request.orderStatus,
  created_at: message.createdAt.toISOString(),
  updated_at: message.updatedAt.toISOString(),
});

/** Makes a decision visible to the later items of the same group. */
export function applyToSnapshot(snapshot: PushSnapshot, business: BusinessState, decision: Decision): void {
  const cancelled = new Set(decision.cancelled.map(({ send }) => send.id));
  snapshot.keepRecipient(business.id, decision.recipient);
  snapshot.keepMessage(business.id, {
    ...decision.message,
    waiting: [
      ...decision.message.waiting.filter((send) => !cancelled.has(send.id)),
      ...decision.sends.flatMap(waitingOf),
    ],
  });
  for (const old of decision.obsoleted)
    snapshot.keepMessage(business.id, { ...old, status: 'obsolete', waiting: [] });
  business.spendable -= decision.setAside;
}

function waitingOf(send: Decision['sends'][number]): WaitingSend[] {
  const { id, channel, state, reserved, credits, fallbackOf } = send;
  if (state === 'skipped') return [];
  const costs = { credits, reserved: reserved ? credits : 0, charged: 0 };
  return [{ id, channel, state, fallbackOf, ...costs, armed: state === 'held' }];
}

function nudgeFor(
  request: PushRequest,
  business: BusinessState,
  { recipient, phoneTaken }: { recipient: RecipientState; phoneTaken: boolean },
  snapshot: PushSnapshot,
  now: Date,
): Nudge {
  const { paidPerRecipientHour } = business;
  return planNudge({
    request,
    business,
    person: factsAbout(business.id, recipient, snapshot),
    phoneTaken,
    rateLimited: paidPerRecipientHour !== null && recipient.paidLastHour >= paidPerRecipientHour,
    prices: snapshot.prices,
    language: recipient.language,
    reviews: snapshot.reviews,
    now,
  });
}

function factsAbout(businessId: string, recipient: RecipientState, snapshot: PushSnapshot): PersonFacts {
  const { email, phone, unsubscribed, smsStatus, whatsappStatus } = recipient;
  return personFacts(
    { unsubscribed, country: phone?.country ?? null, smsStatus, whatsappStatus },
    snapshot.address(businessId, email),
    phone === null ? null : snapshot.number(businessId, phone.number),
  );
}

const shipmentNamedBy = ({ shipment, milestone }: PushRequest): string | null =>
  (shipment ?? milestone)?.trackingNumber ?? null;

const created = (
  request: PushRequest,
  recipient: RecipientState,
  id: string,
  scheduledFor: Date | null,
  now: Date,
): MessageState => ({
  id,
  recipientId: recipient.id,
  recipientEmail: recipient.email,
  subject: request.subject,
  body: request.body,
  reference: request.reference,
  orderStatus: request.orderStatus,
  orderStatusAt: null,
  trackingNumber: shipmentNamedBy(request),
  milestoneAt: request.milestone?.at ?? null,
  toldByHand: [],
  kind: request.kind,
  status: 'active',
  scheduledFor,
  unreadAgain: false,
  createdAt: now,
  updatedAt: now,
  waiting: [],
});

const updated = (match: MessageState, request: PushRequest, now: Date): MessageState => ({
  ...match,
  body: request.body,
  reference: request.reference,
  orderStatus: request.orderStatus,
  orderStatusAt: match.orderStatus === request.orderStatus ? match.orderStatusAt : now,
  // Without a shipment nothing changes, but a shipment of another order is not this one's.
  trackingNumber:
    shipmentNamedBy(request) ?? (match.reference === request.reference ? match.trackingNumber : null),
  milestoneAt: request.milestone?.at ?? null,
  toldByHand: match.reference === request.reference ? toldBefore(match, now) : [],
  updatedAt: now,
});

/**
 * What the message said until now is overwritten, but a tracking event must not tell it again. Only known statuses are kept, so there
 * are few.
 */
function toldBefore({ milestoneAt, orderStatus, updatedAt: at, toldByHand }: MessageState, now: Date) {
  const status = milestoneAt === null ? knownStatus(orderStatus) : null;
  const last = status === null ? [] : [{ orderStatus: status, at }];
  const others = toldByHand.filter((told) => told.orderStatus !== status);
  return [...last, ...others].filter((told) => told.at > earlier(now, TOLD_BY_HAND_MS));
}

/** Assigns ids, and links a held fallback to the WhatsApp send of the same push. */
function withIds(planned: PlannedSend[], newId: () => string): Decision['sends'] {
  const sends = planned.map((send) => ({ ...send, id: newId(), fallbackOf: null }));
  const whatsapp = sends.find((send) => send.channel === 'whatsapp');
  return sends.map((send) =>
    send.purpose === 'fallback' && send.state === 'held'
      ? { ...send, fallbackOf: whatsapp?.id ?? null }
      : send,
  );
}

/**
 * The waiting sends that the new nudge replaces: those on the same channels, so that the person gets one nudge, and the
 * fallback texts of replaced WhatsApp sends.
 */
function supersededBy(sends: Decision['sends'], waiting: WaitingSend[]): Decision['cancelled'] {
  const channels = new Set(sends.filter((send) => send.state !== 'skipped').map((send) => send.channel));
  const replaced = new Set(waiting.filter((send) => channels.has(send.channel)).map(({ id }) => id));
  return waiting
    .filter(({ id, fallbackOf }) => replaced.has(id) || (fallbackOf !== null && replaced.has(fallbackOf)))
    .map((send) => ({ send, reason: 'superseded' }));
}

/** The active messages that the push replaces, each once. */
function obsoletedBy(
  { obsoletes }: PushRequest,
  businessId: string,
  ownId: string,
  snapshot: PushSnapshot,
): MessageState[] {
  const named = new Set(obsoletes.flatMap((id) => snapshot.message(businessId, id) ?? []));
  return [...named].filter(({ id, status }) => status === 'active' && id !== ownId);
}

const waitingSendsOf = ({ waiting }: MessageState): Decision['cancelled'] =>
  waiting.map((send) => ({ send, reason: 'message_obsolete' }));

/** Events for emails that will not be sent: a gate refused the email, or its message became obsolete. */
function notSentEvents(
  businessId: string,
  message: MessageState,
  sends: Decision['sends'],
  obsoleted: MessageState[],
): NewEvent[] {
  const refused = sends.filter((send) => send.channel === 'email' && send.state === 'skipped');
  const withWaitingEmail = obsoleted.filter((old) => old.waiting.some((send) => send.channel === 'email'));
  return [
    ...refused.map((send) => notSent(businessId, message, send.reason ?? 'skipped')),
    ...withWaitingEmail.map((old) => notSent(businessId, old, 'message_obsolete')),
  ];
}

const notSent = (businessId: string, message: MessageState, reason: string): NewEvent => ({
  businessId,
  messageId: message.id,
  recipientId: message.recipientId,
  type: 'message.not_sent',
  data: {
    message_id: message.id,
    recipient_email: message.recipientEmail,
    subject: message.subject,
    reference: message.reference,
    channel: 'email',
    reason,
  },
});
