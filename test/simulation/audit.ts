import { retryUnanswered } from './heal.ts';
import * as merchants from './merchants.ts';
import { EMAILS, NUMBERS } from './pushBodies.ts';
import { REFERENCES } from './shipments.ts';
import type { Simulation } from './simulation.ts';
import { checkStores, STORE_EMAIL } from './storeCalls.ts';

/** After healing: all work has ended, all events are delivered, and the interface shows the model's state. */
export async function auditSimulation(simulation: Simulation): Promise<void> {
  const { snapshot, receivers } = simulation;
  if (simulation.underWay.length > 0)
    simulation.fail(`still under way: ${simulation.underWay.map(({ work }) => work.name).join(', ')}`);
  for (const { id, channel, state } of snapshot.sends) {
    if (state === 'held' || state === 'queued' || state === 'submitting')
      simulation.fail(`${channel} send ${id} never ends: it is ${state}`);
  }
  for (const { endpoint_id, event_id, state } of snapshot.deliveries) {
    const live = snapshot.endpoints.some(({ id, live }) => id === endpoint_id && live);
    if (state === 'pending' || (state === 'stopped' && live))
      simulation.fail(`the event ${event_id} is ${state}`);
    if (
      state === 'delivered' &&
      !receivers.received.some(({ eventId, taken }) => taken && eventId === event_id)
    )
      simulation.fail(`the event ${event_id} is delivered, and nobody got it`);
  }
  for (const { eventId, body, signed } of receivers.received) {
    const { id }: { id: string } = JSON.parse(body);
    if (id !== eventId) simulation.fail(`the delivery ${eventId} says that it is ${id}`);
    if (!signed) simulation.fail(`the delivery ${eventId} is not signed`);
  }
  await checkStores(simulation);
  await checkReads(simulation);
  await checkOrders(simulation);
  if (simulation.random.chance(SHARE_ERASED) && simulation.failures.length === 0)
    await eraseEveryone(simulation);
}

/** Only some seeds do it: it is costly, and depends little on the seed. */
const SHARE_ERASED = 0.2;

/** The interface shows each message as the model has it, to its own business only. */
async function checkReads(simulation: Simulation): Promise<void> {
  for (const business of simulation.businesses) {
    const listed = await read(simulation, business.apiKey, '/api/v1/messages?limit=100');
    const { items }: { items: { id: string; status: string }[] } = JSON.parse(listed.body);
    const actual = items.map(({ id, status }) => `${id} ${status}`).sort();
    const expected = [...business.messages.byId].map(([id, { status }]) => `${id} ${status}`).sort();
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      simulation.fail(
        `the list of ${business.id} is ${actual.join(', ')}, and should be ${expected.join(', ')}`,
      );
    const foreign = simulation.businesses.find(({ id }) => id !== business.id);
    const [id] = [...business.messages.byId.keys()];
    if (!foreign || id === undefined) continue;
    const seen = await read(simulation, foreign.apiKey, `/api/v1/messages/${id}`);
    if (seen.statusCode !== 404) simulation.fail(`${foreign.id} sees a message of ${business.id}`);
  }
}

/** The interface shows each order as the model has it. */
async function checkOrders(simulation: Simulation): Promise<void> {
  for (const { id, apiKey, orders } of simulation.businesses) {
    const listed = await read(simulation, apiKey, '/api/v1/orders');
    const { items }: { items: { reference: string }[] } = JSON.parse(listed.body);
    const actual = items.map(({ reference }) => reference).sort();
    if (JSON.stringify(actual) !== JSON.stringify(orders.references()))
      simulation.fail(`the orders of ${id} are ${actual}, and should be ${orders.references()}`);
    for (const reference of orders.references()) {
      const path = `/api/v1/orders/${encodeURIComponent(reference)}`;
      const { body } = await read(simulation, apiKey, path);
      const order: { status: string | null; recipients: string[] } = JSON.parse(body);
      const words = orders.wordsOf(reference).map(({ status }) => status);
      const isRight = order.status === null ? words.length === 0 : words.includes(order.status);
      if (!isRight || `${order.recipients.toSorted()}` !== `${orders.peopleOf(reference)}`)
        simulation.fail(
          `the order ${reference} is ${body}, should be ${words} of ${orders.peopleOf(reference)}`,
        );
    }
  }
}

async function read(
  simulation: Simulation,
  key: string,
  url: string,
): Promise<{ statusCode: number; body: string }> {
  let answer = { statusCode: 0, body: '' };
  await simulation.start('reads', simulation.anyProcess(), async () => {
    answer = await simulation.testBed.app.inject({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${key}` },
    });
  });
  await simulation.settle();
  return answer;
}

const EVERYONE = [...EMAILS, STORE_EMAIL];

/** An erased person's address, number and texts are in no column. */
async function eraseEveryone(simulation: Simulation): Promise<void> {
  simulation.count('erased everyone');
  for (const business of simulation.businesses) {
    for (const email of EVERYONE) {
      await merchants.sendRequest(simulation, merchants.eraseRequest(simulation, business, email));
      await simulation.settle();
      await retryUnanswered(simulation);
    }
  }
  await simulation.stepProjector(simulation.anyProcess());
  await simulation.settle();
  const names = EVERYONE.flatMap((email) => email.split('@')[0] ?? []).concat(NUMBERS);
  for (const { name, row } of await rowsWith(simulation, [names]))
    simulation.fail(`${name} still names somebody who was erased: ${row}`);
  for (const { id } of simulation.businesses) {
    const left = simulation.snapshot.orders.flatMap((row) => (row.business_id === id ? row.reference : []));
    const erased = REFERENCES.filter((reference) => !left.includes(reference));
    // What was told of messages keeps the reference: it is the merchant's.
    const found = (await rowsWith(simulation, [[id], erased])).filter(({ name }) => name !== 'events');
    for (const { name, row } of found)
      simulation.fail(`${name} still names an order of people who were erased: ${row}`);
  }
}

/** The rows, of any table, that have one of the words of each list. */
async function rowsWith(
  simulation: Simulation,
  lists: readonly (readonly string[])[],
): Promise<{ name: string; row: string }[]> {
  const { monitor } = simulation.testBed.connections;
  const tables = await monitor.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const condition = lists.map((_, place) => `t::text like any ($${place + 1})`).join(' and ');
  const found = await monitor.query<{ name: string; row: string }>(
    tables.rows
      .map(({ name }) => `select '${name}' as name, t::text as row from ${name} t where ${condition}`)
      .join(' union all '),
    lists.map((words) => words.map((word) => `%${word}%`)),
  );
  return found.rows;
}
