import type { SendState } from '../../src/outbox/states.ts';
import type { CommitContext, SendChange } from './invariants.ts';
import type {
  CommittedDelivery,
  CommittedEvent,
  CommittedMessage,
  CommittedSend,
  CommittedState,
} from './snapshot.ts';

/** Every event is written with its change, once, and queued for every endpoint. */
export function eventViolations({ before, after }: CommitContext, changed: readonly SendChange[]): string[] {
  const known = new Set(before.events.map(({ id }) => id));
  const told = after.events.filter(({ id }) => !known.has(id));
  const expected = [
    ...changed.flatMap(({ before: old, after: send }) => sendEvents(old, send)),
    ...openings(before.messages, after.messages),
    ...lowBalances(before, after),
    ...plans(before, after),
    ...after.replies
      .filter(({ id }) => !before.replies.some((reply) => reply.id === id))
      .map(({ message_id }) => `whatsapp.inbound_message ${message_id}`),
  ].sort();
  // What is told of orders: see orderInvariants.ts.
  const actual = told
    .filter(({ type }) => type !== 'order.updated')
    .map(({ type, message_id }) => `${type} ${message_id}`)
    .sort();
  const wrong =
    JSON.stringify(expected) === JSON.stringify(actual)
      ? []
      : [`events told: ${actual.join(', ') || 'none'}; expected: ${expected.join(', ') || 'none'}`];
  return [...wrong, ...told.flatMap((event) => misdelivered(after, event)), ...goneBack(before, after)];
}

/** A delivered, exhausted or stopped delivery is final, even when a response comes late. */
function goneBack(before: CommittedState, after: CommittedState): string[] {
  const keyOf = ({ endpoint_id, event_id }: CommittedDelivery): string => `${endpoint_id} ${event_id}`;
  const known = new Map(before.deliveries.map((delivery) => [keyOf(delivery), delivery.state]));
  return after.deliveries.flatMap((delivery) => {
    const old = known.get(keyOf(delivery)) ?? 'pending';
    return old === 'pending' || old === delivery.state
      ? []
      : [`the delivery of ${delivery.event_id} was ${old} and is ${delivery.state} now`];
  });
}

/** To whom an event goes: to the endpoints that name its type, and to those that name none, but for what must be named. */
function misdelivered({ endpoints, deliveries }: CommittedState, event: CommittedEvent): string[] {
  return endpoints
    .filter(({ business_id, live }) => live && business_id === event.business_id)
    .flatMap(({ id, event_types }) => {
      const isWanted =
        event_types.length === 0 ? event.type !== 'order.updated' : event_types.includes(event.type);
      const waits = deliveries.some((one) => one.event_id === event.id && one.endpoint_id === id);
      if (waits === isWanted) return [];
      return [`the event ${event.type} ${event.id} waits for ${waits ? 'a' : 'no'} delivery to ${id}`];
    });
}

const UNTOLD: readonly (string | null)[] = ['not_needed', 'opened_first', 'whatsapp_sufficed', 'superseded'];

function sendEvents(before: CommittedSend | null, after: CommittedSend): string[] {
  if (after.message_id === null) return [];
  const became = (...states: SendState[]): boolean =>
    before?.state !== after.state && states.includes(after.state);
  const first = (time: 'delivered_at' | 'bounced_at' | 'complained_at'): boolean =>
    after[time] !== null && (before?.[time] ?? null) === null;
  const types: string[] = [];
  if (after.channel === 'email') {
    if (first('delivered_at')) types.push('message.delivered');
    if (first('bounced_at')) types.push('message.bounced');
    else if (became('failed', 'rejected')) types.push('message.failed');
    if (became('skipped', 'cancelled') && !UNTOLD.includes(after.reason)) types.push('message.not_sent');
    if (first('complained_at')) types.push('message.complained');
  } else {
    if (first('delivered_at')) types.push(`${after.channel}.delivered`);
    if (became('read')) types.push('whatsapp.read');
    if (became('failed')) types.push(`${after.channel}.failed`);
    if (became('rejected')) types.push(`${after.channel}.rejected`);
  }
  return types.map((type) => `${type} ${after.message_id}`);
}

const openings = (before: readonly CommittedMessage[], after: readonly CommittedMessage[]): string[] =>
  after
    .filter(({ opened_at }) => opened_at !== null)
    .filter(({ id }) => before.some((message) => message.id === id && message.opened_at === null))
    .map(({ id }) => `message.opened ${id}`);

const lowBalances = (before: CommittedState, after: CommittedState): string[] =>
  after.businesses
    .filter(({ id, balance, threshold }) =>
      before.businesses.some((old) => old.id === id && old.balance >= threshold && balance < threshold),
    )
    .map(() => 'credits.low_balance null');

const plans = (before: CommittedState, after: CommittedState): string[] =>
  after.businesses
    .filter(({ id, plan }) => before.businesses.some((old) => old.id === id && old.plan !== plan))
    .filter(({ plan }) => plan !== 'active')
    .map(({ plan }) => `plan.${plan} null`);
