import { parseJsonText, textAt } from '../kit/json.ts';
import { putShipment } from '../orders/putShipment.ts';
import { previewPush } from '../push/preview.ts';
import type { PushRequest } from '../push/request.ts';
import type { TextSource } from '../texts/defaults.ts';
import { ownTextsFor } from '../tracking/sql.ts';
import type { CallToHandle, HandleDeps } from './calls.ts';
import { type CallVerdict, type DecidedMessage, decideCall } from './decide.ts';
import type { OrderFacts } from './facts.ts';
import type { StoreKind } from './kinds/kind.ts';
import { type KnownOrder, withTold } from './knownOrder.ts';
import { refusalCode } from './refusal.ts';
import { type CallResult, result, type WouldPush } from './results.ts';
import {
  callOfOurs,
  languageOfOrder,
  type PushableOrder,
  parcelNumbers,
  pushableOrder,
  shipmentOf,
  storeRequest,
  storeText,
} from './storePush.ts';

/** Handles the call of a store: what is new is pushed, or shown where nothing is sent. */
export async function handleStoreCall(
  deps: HandleDeps,
  kind: StoreKind,
  handled: CallToHandle,
): Promise<CallResult> {
  const { call, connection, business, isWatched, isAgain } = handled;
  const reading = kind.read(call, { consentField: connection.settings.consentField });
  if (reading.kind === 'not_understood') return result('not_understood', { reason: reading.reason });
  if (reading.kind === 'nothing')
    return result('nothing_to_tell', { reason: reading.reason, orderNumber: reading.order });

  const { facts } = reading;
  const verdict = decideCall(
    handled.before,
    facts,
    {
      defaults: kind.statuses,
      settings: connection.settings,
      tellsEachShipment: kind.tellsEachShipment,
      trackingNudges: business.trackingNudges,
    },
    { isWatched, isAgain, receivedAt: call.receivedAt },
  );
  const stored = {
    known: verdict.known,
    orderNumber: verdict.known.order?.number ?? null,
    statuses: wordsOf(facts),
  };
  const order = verdict.known.order && pushableOrder(verdict.known.order, connection.settings);
  if (!order) return result('nothing_to_tell', { ...stored, reason: whyNotPushable(verdict) });
  const person = { ...stored, email: order.email };
  const effects = verdict.messages.length + verdict.quietParcels.length + verdict.events.length;
  if (effects === 0) return result('nothing_to_tell', { ...person, reason: verdict.reason });
  if (!business.active) return result('refused', { ...person, reason: 'business.inactive' });
  const step: Step = { deps, handled, order, verdict };
  if (isWatched) return result('would_push', { ...person, wouldPush: await show(step) });
  return { ...person, ...(await tell(step, facts)) };
}

/** An address that no mail could reach is none. */
const whyNotPushable = ({ known, reason }: CallVerdict): string | null =>
  known.order !== null && known.order.email !== null && !known.order.isTest ? 'bad_email' : reason;

/** The store's own statuses in a call, which its table shows. */
const wordsOf = ({ order, shipments }: OrderFacts): string[] => [
  ...new Set([...(order?.statuses ?? []), ...shipments].map(({ status }) => status)),
];

interface Step {
  deps: HandleDeps;
  handled: CallToHandle;
  order: PushableOrder;
  verdict: CallVerdict;
}

interface Prepared {
  message: DecidedMessage;
  text: TextSource;
  request: PushRequest;
}

/** The messages with their words. */
async function prepare(
  { deps, handled, order }: Step,
  messages: readonly DecidedMessage[],
): Promise<Prepared[]> {
  const { business, connection } = handled;
  const shop = { ...business, businessId: business.id };
  const language = languageOfOrder(order, shop);
  const wanted = messages.map(({ status }) => ({ business_id: business.id, order_status: status, language }));
  const own = wanted.length === 0 ? [] : await ownTextsFor(deps.pool, JSON.stringify(wanted));
  return messages.map((message) => {
    const ownText = own.find(({ order_status }) => order_status === message.status);
    const text = storeText({ ...message, order }, shop, ownText);
    return { message, text, request: storeRequest({ ...message, order }, text, connection.settings) };
  });
}

async function show(step: Step): Promise<WouldPush[]> {
  const { deps, handled, order, verdict } = step;
  const { business } = handled;
  const language = languageOfOrder(order, { ...business, businessId: business.id });
  const shown: WouldPush[] = [];
  for (const { message, text, request } of await prepare(step, verdict.messages))
    shown.push({
      order_status: message.status,
      recipient_email: order.email,
      language,
      ...text,
      preview: await previewPush(deps, business.id, request).catch(refusalAsNull),
    });
  return shown;
}

/** A message that a push would refuse is shown with its text alone. */
function refusalAsNull(error: unknown): null {
  refusalCode(error);
  return null;
}

type Told = Pick<CallResult, 'outcome' | 'reason' | 'messageId' | 'known' | 'wouldPush' | 'retryAt'>;

/** Each push has a key of its own: what a crash interrupts is done again from the start, and pushes nothing twice. */
async function tell(step: Step, facts: OrderFacts): Promise<Told> {
  const { verdict } = step;
  const toldMessages = await tellMessages(step);
  const quiet = await addQuietly(step, toldMessages.known);
  const milestone = await reportEvents(step);
  const messageId = toldMessages.messageId ?? milestone.messageId ?? quiet;
  const refusal = toldMessages.refusal ?? milestone.refusal;
  const told = { known: toldMessages.known, messageId, wouldPush: [], retryAt: null };
  if (toldMessages.messageId !== null || milestone.messageId !== null)
    return { ...told, outcome: 'pushed', reason: refusal ?? leftOutOf(facts) };
  if (refusal !== null) return { ...told, outcome: 'refused', reason: refusal };
  if (quiet !== null) return { ...told, outcome: 'pushed', reason: 'quiet' };
  return { ...told, outcome: 'nothing_to_tell', reason: verdict.reason };
}

const leftOutOf = ({ shipments }: OrderFacts): string | null =>
  shipments.flatMap(({ leftOut = [] }) => leftOut).at(0) ?? null;

async function tellMessages(step: Step) {
  const { deps, handled, order, verdict } = step;
  let known = verdict.known;
  let messageId: string | null = null;
  let refusal: string | null = null;
  for (const { message, text, request } of await prepare(step, verdict.messages)) {
    if (message.parcels.length > 1) await nameParcels(step, message);
    const shipments = message.changes.filter((name) => name.startsWith('shipment ')).sort();
    const pushed = await push(step, [message.status, ...shipments, parcelNumbers(message.parcels)], request);
    if (pushed.refusal !== null) {
      refusal ??= pushed.refusal;
      continue;
    }
    messageId ??= pushed.messageId;
    known = withTold(known, message, { email: order.email, subject: text.subject });
  }
  if (refusal !== null)
    deps.log.warn(
      { connection: handled.connection.id, call: handled.id, code: refusal },
      'store update refused',
    );
  return { known, messageId, refusal };
}

/** A message of several parcels shows all of its order's. */
async function nameParcels({ deps, handled, order }: Step, { parcels }: DecidedMessage): Promise<void> {
  if (order.reference === '') return;
  for (const parcel of parcels)
    await putShipment(deps, handled.business.id, order.reference, shipmentOf(parcel));
}

/** Adds parcels to the message that told of the shipment, without a nudge. Answers its id. */
async function addQuietly(step: Step, known: KnownOrder): Promise<string | null> {
  const { order, verdict } = step;
  const told = known.told.shipped;
  if (told === undefined || order.reference === '') return null;
  let messageId: string | null = null;
  for (const parcel of verdict.quietParcels) {
    const parcels = [parcel];
    const [prepared] = await prepare(step, [{ status: 'shipped', changes: [], parcels }]);
    if (!prepared) continue;
    const request: PushRequest = {
      ...prepared.request,
      recipientEmail: told.email,
      subject: told.subject,
      channels: ['email'],
      escalateMinutes: null,
      notify: false,
    };
    const parts = ['quiet', parcel.trackingNumber, parcel.carrier ?? '', parcel.trackingUrl ?? ''];
    const pushed = await push(step, parts, request);
    messageId ??= pushed.messageId;
  }
  return messageId;
}

/** What the store's carrier reports goes the way of every tracking event. */
async function reportEvents({ deps, handled, order, verdict }: Step) {
  const { business, connection } = handled;
  let messageId: string | null = null;
  let refusal: string | null = null;
  for (const { trackingNumber, status, at, description, location } of verdict.events) {
    if (order.reference === '') continue;
    const call = callOfOurs(business.id, connection.id, [
      'event',
      order.reference,
      trackingNumber,
      status,
      at,
    ]);
    const event = {
      trackingNumber,
      status,
      at: new Date(at),
      description,
      location,
      recipientEmail: order.email,
    };
    try {
      const { body } = await deps.tracking.report({
        ...call,
        reference: order.reference,
        event: { ...event, isQuiet: false },
      });
      messageId ??= textAt(parseJsonText(body), 'message_id');
    } catch (error) {
      refusal ??= refusalCode(error);
    }
  }
  return { messageId, refusal };
}

async function push({ deps, handled }: Step, parts: readonly string[], request: PushRequest) {
  const { business, connection, storeOrder } = handled;
  const call = callOfOurs(business.id, connection.id, [storeOrder ?? '', ...parts]);
  try {
    const { body } = await deps.pushes.push({ ...call, request });
    return { messageId: textAt(parseJsonText(body), 'id'), refusal: null };
  } catch (error) {
    return { messageId: null, refusal: refusalCode(error) };
  }
}
