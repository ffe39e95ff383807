import { finishWhatIsOwed } from './heal.ts';
import * as merchants from './merchants.ts';
import { EMAILS, NUMBERS } from './pushBodies.ts';
import type { World } from './world.ts';

/** After healing: everything has ended, is told, and reads as it is. */
export async function audit(world: World): Promise<void> {
  const { snapshot, receivers } = world;
  if (world.underWay.length > 0)
    world.fail(`still under way: ${world.underWay.map(({ work }) => work.name).join(', ')}`);
  for (const { id, channel, state } of snapshot.sends) {
    if (state === 'held' || state === 'queued' || state === 'submitting')
      world.fail(`${channel} send ${id} never ends: it is ${state}`);
  }
  for (const { endpoint_id, event_id, state } of snapshot.deliveries) {
    const live = snapshot.endpoints.some(({ id, live }) => id === endpoint_id && live);
    if (state === 'pending' || (state === 'stopped' && live)) world.fail(`the event ${event_id} is ${state}`);
    if (
      state === 'delivered' &&
      !receivers.received.some(({ eventId, taken }) => taken && eventId === event_id)
    )
      world.fail(`the event ${event_id} is delivered, and nobody got it`);
  }
  for (const { eventId, body, signed } of receivers.received) {
    const { id }: { id: string } = JSON.parse(body);
    if (id !== eventId) world.fail(`the delivery ${eventId} says that it is ${id}`);
    if (!signed) world.fail(`the delivery ${eventId} is not signed`);
  }
  await reads(world);
  if (world.random.chance(SHARE_ERASED) && world.failures.length === 0) await eraseEveryone(world);
}

/** Costly, and hardly depends on the rest. */
const SHARE_ERASED = 0.2;

/** The interface tells of every message what the model knows, to its own business and to no other. */
async function reads(world: World): Promise<void> {
  for (const business of world.businesses) {
    const listed = await read(world, business.apiKey, '/api/v1/messages?limit=100');
    const { items }: { items: { id: string; status: string }[] } = JSON.parse(listed.body);
    const told = items.map(({ id, status }) => `${id} ${status}`).sort();
    const known = [...business.messages.byId].map(([id, { status }]) => `${id} ${status}`).sort();
    if (JSON.stringify(told) !== JSON.stringify(known))
      world.fail(`the list of ${business.id} is ${told.join(', ')}, and should be ${known.join(', ')}`);
    const foreign = world.businesses.find(({ id }) => id !== business.id);
    const [id] = [...business.messages.byId.keys()];
    if (!foreign || id === undefined) continue;
    const seen = await read(world, foreign.apiKey, `/api/v1/messages/${id}`);
    if (seen.statusCode !== 404) world.fail(`${foreign.id} sees a message of ${business.id}`);
  }
}

async function read(world: World, key: string, url: string): Promise<{ statusCode: number; body: string }> {
  let answer = { statusCode: 0, body: '' };
  await world.start('reads', world.anyProcess(), async () => {
    answer = await world.stage.app.inject({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${key}` },
    });
  });
  await world.settle();
  return answer;
}

/** Nothing of a person outlives them: no address, number or text in any column. */
async function eraseEveryone(world: World): Promise<void> {
  world.count('erased everyone');
  for (const business of world.businesses) {
    for (const email of EMAILS) {
      await merchants.ask(world, merchants.erase(world, business, email));
      await world.settle();
      await finishWhatIsOwed(world);
    }
  }
  const traces = EMAILS.flatMap((email) => email.split('@')[0] ?? []).concat(NUMBERS);
  const { monitor } = world.stage.hands;
  const tables = await monitor.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const found = await monitor.query<{ name: string; row: string }>(
    tables.rows
      .map(
        ({ name }) => `select '${name}' as name, t::text as row from ${name} t where t::text like any ($1)`,
      )
      .join(' union all '),
    [traces.map((trace) => `%${trace}%`)],
  );
  for (const { name, row } of found.rows) world.fail(`${name} still names somebody who was erased: ${row}`);
}
