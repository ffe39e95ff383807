import { type TrackingStatus, trackingStatuses } from '../../src/contract/orders.ts';
import type { SimulatedBusiness } from './businesses.ts';
import { type MerchantRequest, newKey, newRequest } from './merchants.ts';
import { isRowOf, type ReportedEvent, TOLD_AS } from './ordersModel.ts';
import { EMAILS } from './pushBodies.ts';
import { anyFacts, anyParcel, anyReference, shipmentNamedBy } from './shipments.ts';
import type { Simulation } from './simulation.ts';

const MINUTE = 60_000;

const orderPath = (reference: string): string => `/api/v1/orders/${encodeURIComponent(reference)}`;

export function putShipmentRequest(simulation: Simulation): MerchantRequest {
  const { random } = simulation;
  const { business, reference } = anyOrder(simulation);
  const parcel = anyParcel(random);
  const body = anyFacts(random);
  return newRequest(business, 'put shipment', 'PUT', `${orderPath(reference)}/shipments/${parcel}`, {
    body,
    effect: () => business.orders.nameShipment(reference, parcel, shipmentNamedBy(body), simulation.commits),
  });
}

/** It applies what waits of the business's changes. */
export function readOrderRequest(simulation: Simulation): MerchantRequest {
  const { business, reference } = anyOrder(simulation);
  return newRequest(business, 'read order', 'GET', orderPath(reference));
}

/** What a carrier reports, in any order and again and again, with times that meet. */
export function trackingRequest(simulation: Simulation): MerchantRequest {
  const { random, clock } = simulation;
  const { business, reference } = anyOrder(simulation);
  const earlier = business.orders.events().filter((event) => event.reference === reference);
  const minute = Math.floor(clock.now().getTime() / MINUTE) - random.below(3);
  const fresh = { trackingNumber: anyParcel(random), status: anyStatus(simulation), at: minute * MINUTE };
  const event: ReportedEvent =
    earlier.length > 0 && random.chance(0.2)
      ? random.pick(earlier)
      : { ...fresh, reference, email: namedBy(fresh) };
  const key = newKey(simulation);
  const request = newRequest(business, 'tracking', 'POST', `${orderPath(reference)}/tracking`, {
    key,
    body: {
      tracking_number: event.trackingNumber,
      status: event.status,
      at: new Date(event.at).toISOString(),
      recipient_email: event.email,
      ...(random.chance(0.5) && { description: `Signed by ${event.email ?? 'the neighbour'}` }),
    },
    onRefused: (body) => checkRefusal(simulation, request, event, body),
  });
  const name = `${business.id} tracking ${key}`;
  simulation.placeOf.set(name, () =>
    simulation.snapshot.tracking_events.findIndex(
      (row) => row.business_id === business.id && isRowOf(row, event),
    ),
  );
  simulation.onStoredResponse.set(name, (response) =>
    updateModelFromEvent(simulation, request, event, response),
  );
  return request;
}

/** A repetition names the same person: of two that are decided together the model does not know which was the first. */
const namedBy = ({ status, at }: Pick<ReportedEvent, 'status' | 'at'>): string | null =>
  EMAILS[(trackingStatuses.indexOf(status) + at / MINUTE) % (2 * EMAILS.length)] ?? null;

function anyOrder({ random, businesses }: Simulation): { business: SimulatedBusiness; reference: string } {
  return { business: random.pick(businesses), reference: anyReference(random) };
}

const anyStatus = ({ random }: Simulation): TrackingStatus =>
  random.chance(0.7) ? random.pick(['out_for_delivery', 'delivered']) : random.pick(trackingStatuses);

/** Only an event that nobody is known to hear of is refused. */
function checkRefusal(
  simulation: Simulation,
  { business: { orders }, since }: MerchantRequest,
  { reference, email }: ReportedEvent,
  body: string,
): void {
  simulation.count('event refused');
  const mayBe =
    email === null && (orders.addresseeOf(reference) === null || orders.isChangedSince(reference, since));
  if (!body.includes('missing_recipient') || !mayBe) simulation.fail(`an event was refused: ${body}`);
}

interface Answer {
  is_first: boolean;
  nudged: boolean;
  message_id: string | null;
}

/** Compares the answer with the model, and puts the event and its message into it. */
function updateModelFromEvent(
  simulation: Simulation,
  request: MerchantRequest,
  event: ReportedEvent,
  response: string,
): void {
  const { business, since } = request;
  const { orders } = business;
  const { is_first, nudged, message_id: messageId }: Answer = JSON.parse(response);
  const name = `the event ${event.trackingNumber} ${event.status} of ${event.reference}`;
  const row = simulation.snapshot.tracking_events.find(
    (one) => one.business_id === business.id && isRowOf(one, event),
  );
  const receivedAt = Date.parse(row?.received_at ?? '') || simulation.clock.now().getTime();
  const expected = orders.expect(event, receivedAt, business.nudging);
  const isNew = row !== undefined && expected.isStored;
  // A push, a retraction or an erasure that ran meanwhile may have come before or after.
  const isRaced = orders.isTouchedSince(event.reference, since);
  simulation.count(isRaced ? 'event beside a change of its order' : `event ${expected.because}`);
  const answered = JSON.stringify([is_first, nudged, messageId !== null]);
  const should = JSON.stringify([expected.isFirst, expected.because === 'told', expected.because === 'told']);
  if (!isRaced && answered !== should)
    simulation.fail(`${name} was answered with ${response}, though it is ${expected.because}`);
  if (!isRaced && event.email === null && orders.addresseeOf(event.reference) === null)
    simulation.fail(`${name} was accepted, and nobody is known to hear of it`);
  if (messageId !== null) updateModelFromMilestone(simulation, request, event, { name, messageId });
  if (isNew) orders.store(event, simulation.commits);
}

interface MilestoneResult {
  id: string;
  created: boolean;
  recipient_email: string;
  subject: string;
  updated_at: string;
}

/** A milestone is a push with a key of its own. */
function updateModelFromMilestone(
  simulation: Simulation,
  { business, since }: MerchantRequest,
  event: ReportedEvent,
  { name, messageId }: { name: string; messageId: string },
): void {
  const { orders, messages, people } = business;
  const key = ['tracking', event.reference, event.trackingNumber, event.status].join('\n');
  const record = simulation.snapshot.records.find(
    (one) => one.business_id === business.id && one.scope === 'push' && one.key === key,
  );
  const pushed: MilestoneResult | null = record ? JSON.parse(record.response) : null;
  if (pushed?.id !== messageId) {
    simulation.fail(`${name} made ${messageId}, and its push is not stored`);
    return;
  }
  if (!orders.tell(event)) simulation.fail(`${name} is told a second time`);
  const { recipient_email: email, subject } = pushed;
  const addressee = event.email ?? orders.addresseeOf(event.reference);
  const isRaced = orders.isTouchedSince(event.reference, since);
  if (!isRaced && addressee !== email) simulation.fail(`${name} is told to ${email}, not to ${addressee}`);
  if (event.email === null && !people.byEmail.has(email) && !orders.peopleOf(event.reference).includes(email))
    simulation.fail(`${name} is told to ${email}, who was erased`);
  const message = {
    email,
    subject,
    kind: 'updateable' as const,
    notify: true,
    obsoletes: [],
    reference: event.reference,
    orderStatus: TOLD_AS[event.status],
    milestoneAt: event.at,
  };
  const match = messages.match(message);
  if (pushed.created !== (match === null) || (match !== null && match !== messageId))
    simulation.fail(`${name} should have ${match === null ? 'made a message' : `changed ${match}`}`);
  simulation.count(match === null ? 'milestone made a message' : 'milestone changed a message');
  people.push({ email, phone: null, optIn: false });
  messages.push(messageId, message, Date.parse(pushed.updated_at));
}
