import type { CommitContext } from './invariants.ts';
import type { OrdersModel } from './ordersModel.ts';
import type { CommittedEvent, CommittedOrder, CommittedState } from './snapshot.ts';

/** Shipments and tracking events are what was said of them; orders follow from that, and each change of one is told once. */
export function orderViolations({ before, after, businesses }: CommitContext): string[] {
  return businesses.flatMap(({ id, orders }) => [
    ...shipmentViolations(after, id, orders),
    ...(after.order_changes.some(({ business_id }) => business_id === id)
      ? []
      : projectionViolations(after, id, orders)),
    ...toldViolations(before, after, id, orders),
  ]);
}

const own = <Row extends { business_id: string }>(rows: readonly Row[], businessId: string): Row[] =>
  rows.filter(({ business_id }) => business_id === businessId);

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));

function shipmentViolations(after: CommittedState, businessId: string, orders: OrdersModel): string[] {
  const events = own(after.tracking_events, businessId).map((row) =>
    [row.reference, row.tracking_number, row.status, timeOf(row.at)].join(' '),
  );
  const reported = orders
    .events()
    .map(({ reference, trackingNumber, status, at }) => [reference, trackingNumber, status, at].join(' '));
  const shipments = own(after.shipments, businessId).map((row) =>
    JSON.stringify([
      row.reference,
      row.tracking_number,
      [row.carrier, row.tracking_url, row.expected_on, row.expected_until],
      row.status,
      timeOf(row.status_at),
    ]),
  );
  const named = orders
    .shipments()
    .map(({ reference, trackingNumber, facts, latest }) =>
      JSON.stringify([
        reference,
        trackingNumber,
        [facts.carrier, facts.tracking_url, facts.expected_on, facts.expected_until],
        latest?.status ?? null,
        latest?.at ?? null,
      ]),
    );
  return [...different('tracking events', events, reported), ...different('shipments', shipments, named)];
}

/** Once no change waits, orders are what a recount of all that was said gives. */
function projectionViolations(after: CommittedState, businessId: string, orders: OrdersModel): string[] {
  const rows = own(after.orders, businessId);
  const people = own(after.order_recipients, businessId).map(
    ({ reference, email }) => `${reference} ${email}`,
  );
  const expected = orders.references();
  return [
    ...different(
      'orders',
      rows.map(({ reference }) => reference),
      expected,
    ),
    ...different(
      'people of orders',
      people,
      expected.flatMap((reference) => orders.peopleOf(reference).map((email) => `${reference} ${email}`)),
    ),
    ...rows.flatMap(({ reference, status, status_at }) => {
      const words = orders.wordsOf(reference);
      const isRight =
        status === null
          ? words.length === 0
          : words.some((word) => word.status === status && word.at === timeOf(status_at));
      return isRight
        ? []
        : [`the order ${reference} is ${status} since ${status_at}, and should be ${JSON.stringify(words)}`];
    }),
  ];
}

/** The events of a commit lead from the state of their order before it to the state after it, in steps that are changes. */
function toldViolations(
  before: CommittedState,
  after: CommittedState,
  businessId: string,
  orders: OrdersModel,
): string[] {
  const known = new Set(before.events.map(({ id }) => id));
  const told = own(after.events, businessId).filter(
    ({ id, type }) => type === 'order.updated' && !known.has(id),
  );
  // An erasure takes the reference out of what it has told itself.
  if (told.some(({ data }) => data.reference === null)) return [];
  const people = new Set(
    [...own(after.recipients, businessId), ...own(after.order_recipients, businessId)].map(
      ({ email }) => email,
    ),
  );
  const now = new Map(own(after.orders, businessId).map((row) => [row.reference, stateOf(row)]));
  const states = new Map(own(before.orders, businessId).map((row) => [row.reference, stateOf(row)]));
  const wrong = told.flatMap(({ id, data }) => {
    const { reference, status, status_at, tracking_number, recipient_email } = toldOf(data);
    const state = stateOf({ status, status_at });
    const old = states.get(reference) ?? NO_STATUS;
    states.set(reference, state);
    const isKnown = recipient_email === null || people.has(recipient_email);
    return [
      ...(state === old ? [`the event ${id} tells that ${reference} is still ${state}`] : []),
      ...(isKnown ? [] : [`the event ${id} tells of ${reference} and ${recipient_email}, who was erased`]),
      ...(tracking_number === null || isOfShipment(orders, reference, tracking_number, state)
        ? []
        : [`the event ${id} tells ${state} of ${tracking_number}, and no carrier said so`]),
    ];
  });
  return [
    ...wrong,
    ...[...now].flatMap(([reference, state]) =>
      (states.get(reference) ?? NO_STATUS) === state
        ? []
        : [`${reference} became ${state}, and what was told last is ${states.get(reference)}`],
    ),
  ];
}

const stateOf = ({ status, status_at }: Pick<CommittedOrder, 'status' | 'status_at'>): string =>
  `${status} since ${timeOf(status_at)}`;
const NO_STATUS = stateOf({ status: null, status_at: null });

interface ToldOrder {
  reference: string;
  status: string | null;
  status_at: string | null;
  tracking_number: string | null;
  recipient_email: string | null;
}

function toldOf(data: CommittedEvent['data']): ToldOrder {
  const text = (field: string): string | null => {
    const value = data[field];
    return typeof value === 'string' ? value : null;
  };
  return {
    reference: text('reference') ?? '',
    status: text('status'),
    status_at: text('status_at'),
    tracking_number: text('tracking_number'),
    recipient_email: text('recipient_email'),
  };
}

const isOfShipment = (
  orders: OrdersModel,
  reference: string,
  trackingNumber: string,
  state: string,
): boolean =>
  orders
    .events()
    .some(
      (event) =>
        event.reference === reference &&
        event.trackingNumber === trackingNumber &&
        state === `${event.status} since ${event.at}`,
    );

const different = (what: string, actual: readonly string[], expected: readonly string[]): string[] => {
  const [is, should] = [actual, expected].map((some) => some.toSorted().join(', '));
  return is === should ? [] : [`${what} are ${is || 'none'}, and should be ${should || 'none'}`];
};
