import { parseJsonText, textAt } from '../kit/json.ts';
import { putShipment } from '../orders/putShipment.ts';
import type { PushRequest } from '../push/request.ts';
import type { TextSource } from '../texts/defaults.ts';
import type { CallDeps, CallToHandle } from './calls.ts';
import { type CallVerdict, type DecidedMessage, decideCall } from './decide.ts';
import type { OrderFacts } from './facts.ts';
import type { StoreKind } from './kinds/kind.ts';
import { type KnownOrder, withTold } from './knownOrder.ts';
import { refusalCode } from './refusal.ts';
import { type CallResult, result, type WouldPush } from './results.ts';
import {
  callOfOurs,
  languageOfOrder,
  orderPushRequest,
  type PushableOrder,
  parcelNumbers,
  pushableOrder,
  shipmentOf,
  storeText,
} from './storePush.ts';

/** Handles the call of a store: what is new is pushed, or shown where nothing is sent. */
export async function handleStoreCall(
  deps: CallDeps,
  kind: StoreKind,
  handled: CallToHandle,
): Promise<CallResult> {
  const { call, connection, business, isWatched, isAgain } = handled;
  const reading = kind.read(call, { consentField: connection.settings.consentField });
  if (reading.kind === 'not_understood') return result('not_understood', { reason: reading.reason });
  if (reading.kind === 'nothing') {
    // A deletion names the order by its id alone.
    const orderNumber = reading.order ?? handled.before?.order?.number ?? null;
    return result('nothing_to_tell', { reason: reading.reason, orderNumber });
  }

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
  if (isWatched)
    return result('would_push', { ...person, wouldPush: await show(step), reason: leftOutOf(facts) });
  return result('nothing_to_tell', { ...person, ...(await tell(step, facts)) });
}

/** An address that no mail could reach is none. */
const whyNotPushable = ({ known, reason }: CallVerdict): string | null =>
  known.order !== null && known.order.email !== null && !known.order.isTest ? 'bad_email' : reason;

/** The store's own statuses in a call, which its table shows. */
const wordsOf = ({ order, shipments }: OrderFacts): string[] => [
  ...new Set([...(order?.statuses ?? []), ...shipments].map(({ status }) => status)),
];

interface Step {
  deps: CallDeps;
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
async function prepare(step: Step, messages: readonly DecidedMessage[]): Promise<Prepared[]> {
  const { deps, handled, order, verdict } = step;
  const { business, connection } = handled;
  const shop = { ...business, businessId: business.id };
  const language = languageOfOrder(order, shop);
  const prepareOne = async (message: DecidedMessage): Promise<Prepared> => {
    const { status } = message;
    const ownText = await deps.ownText({ business_id: business.id, order_status: status, language });
    const text = storeText({ ...message, order }, shop, ownText);
    const isAnother = verdict.known.told[status] !== undefined;
    const request = orderPushRequest({ ...message, order }, { text, isAnother }, connection.settings);
    return { message, text, request };
  };
  return Promise.all(messages.map(prepareOne));
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
      preview: await deps.previews.preview(business.id, request).catch(refusalAsNull),
    });
  return shown;
}

/** A message that a push would refuse is shown with its text alone. */
function refusalAsNull(error: unknown): null {
  refusalCode(error);
  return null;
}

/** Each push has a key of its own: what a crash interrupts is done again from the start, and pushes nothing twice. */
async function tell(step: Step, facts: OrderFacts): Promise<Partial<CallResult>> {
  const { known, ...messages } = await tellMessages(step);
  const quiet = await addQuietly(step, known);
  const milestone = await reportEvents(step);
  return { known, ...outcomeOf({ messages, milestone, quiet }, step.verdict.reason, leftOutOf(facts)) };
}

/** What became of pushes that belong together: the first message, and the first refusal. */
export interface Pushed {
  messageId: string | null;
  refusal: string | null;
}

/** What is new to the person comes first, then what was refused, and then what was added quietly. */
export function outcomeOf(
  { messages, milestone, quiet }: { messages: Pushed; milestone: Pushed; quiet: Pushed },
  untold: string | null,
  leftOut: string | null,
): Pick<CallResult, 'outcome' | 'reason' | 'messageId'> {
  const messageId = messages.messageId ?? milestone.messageId;
  const refusal = messages.refusal ?? milestone.refusal ?? quiet.refusal;
  if (messageId !== null) return { outcome: 'pushed', reason: refusal ?? leftOut, messageId };
  if (refusal !== null) return { outcome: 'refused', reason: refusal, messageId: quiet.messageId };
  if (quiet.messageId !== null)
    return { outcome: 'pushed', reason: leftOut ?? 'quiet', messageId: quiet.messageId };
  return { outcome: 'nothing_to_tell', reason: untold, messageId: null };
}

const leftOutOf = ({ shipments }: OrderFacts): string | null =>
  shipments.flatMap(({ leftOut = [] }) => leftOut).at(0) ?? null;

async function tellMessages(step: Step): Promise<Pushed & { known: KnownOrder }> {
  const { deps, handled, order, verdict } = step;
  let known = verdict.known;
  const pushes: Pushed[] = [];
  for (const { message, text, request } of await prepare(step, verdict.messages)) {
    if (message.parcels.length > 1) await nameParcels(step, message);
    const shipments = message.changes.filter((name) => name.startsWith('shipment ')).sort();
    const pushed = await push(step, [message.status, ...shipments, parcelNumbers(message.parcels)], request);
    pushes.push(pushed);
    if (pushed.refusal === null)
      known = withTold(known, message, { email: order.email, subject: text.subject });
  }
  const { messageId, refusal } = together(pushes);
  if (refusal !== null)
    deps.log.warn(
      { connection: handled.connection.id, call: handled.id, code: refusal },
      'store update refused',
    );
  return { known, messageId, refusal };
}

const together = (pushes: readonly Pushed[]): Pushed => ({
  messageId: pushes.find(({ messageId }) => messageId !== null)?.messageId ?? null,
  refusal: pushes.find(({ refusal }) => refusal !== null)?.refusal ?? null,
});

/** A message of several parcels shows all of its order's. */
async function nameParcels({ deps, handled, order }: Step, { parcels }: DecidedMessage): Promise<void> {
  for (const parcel of parcels)
    await putShipment(deps, handled.business.id, order.reference, shipmentOf(parcel));
}

/** Adds parcels to the message that told of the shipment, without a nudge. */
async function addQuietly(step: Step, known: KnownOrder): Promise<Pushed> {
  const told = known.told.shipped;
  const pushes: Pushed[] = [];
  if (told === undefined) return together(pushes);
  for (const parcel of step.verdict.quietParcels) {
    const messages = [{ status: 'shipped' as const, changes: [], parcels: [parcel] }];
    const parts = ['quiet', parcel.trackingNumber, parcel.carrier ?? '', parcel.trackingUrl ?? ''];
    for (const { request } of await prepare(step, messages))
      pushes.push(
        await push(step, parts, {
          ...request,
          recipientEmail: told.email,
          subject: told.subject,
          channels: ['email'],
          escalateMinutes: null,
          notify: false,
        }),
      );
  }
  return together(pushes);
}

/** What the store's carrier reports goes the way of every tracking event. */
async function reportEvents({ deps, handled, order, verdict }: Step): Promise<Pushed> {
  const { business, connection } = handled;
  const { reference, email: recipientEmail } = order;
  const pushes: Pushed[] = [];
  for (const { trackingNumber, status, at, description, location } of verdict.events) {
    const parts = ['event', reference, trackingNumber, status, at];
    const event = { trackingNumber, status, at: new Date(at), description, location, recipientEmail };
    const call = { reference, event: { ...event, isQuiet: false } };
    const item = { ...callOfOurs(business.id, connection.id, parts), ...call };
    pushes.push(await pushedBy(() => deps.tracking.report(item), 'message_id'));
  }
  return together(pushes);
}

function push({ deps, handled }: Step, parts: readonly string[], request: PushRequest): Promise<Pushed> {
  const { business, connection, storeOrder } = handled;
  const call = callOfOurs(business.id, connection.id, [storeOrder ?? '', ...parts]);
  return pushedBy(() => deps.pushes.push({ ...call, request }), 'id');
}

async function pushedBy(send: () => Promise<{ body: string }>, idField: string): Promise<Pushed> {
  try {
    const { body } = await send();
    return { messageId: textAt(parseJsonText(body), idField), refusal: null };
  } catch (error) {
    return { messageId: null, refusal: refusalCode(error) };
  }
}
