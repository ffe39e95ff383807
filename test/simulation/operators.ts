import { commandInput } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { readConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/kit/errors.ts';
import { startLapses } from '../../src/outbox/lapses.ts';
import { startRetention } from '../../src/retention/retention.ts';
import { EMAILS } from './pushBodies.ts';
import type { World } from './world.ts';

/** What whoever runs the service does, by the commands of their terminal, and what goes on by itself. */

async function runs(
  world: World,
  path: string,
  words: readonly string[],
  flags: Record<string, string>,
  effect: () => void = () => {},
): Promise<void> {
  const called = commands.find((command) => command.path === path);
  if (!called) throw new Error(`there is no command ${path}`);
  const process = world.anyProcess();
  world.note(`operator: ${path} ${words.join(' ')} ${JSON.stringify(flags)}`);
  world.count(path);
  const { pool, hash } = world.stage;
  await world.start(
    path,
    process,
    async () => {
      await called
        .run(commandInput(called, words, new Map(Object.entries(flags))), {
          config: readConfig({}),
          open: async () => ({ pool, clock: world.clock, hasher: async () => hash }),
          databaseUrl: async () => '',
        })
        .catch((error: unknown) => {
          // A mistake of the operator's, such as somebody who is no recipient.
          if (!(error instanceof OperatorError)) throw error;
        });
    },
    { effect },
  );
}

export async function changesSettings(world: World): Promise<void> {
  const { random } = world;
  const { id } = random.pick(world.businesses);
  const soon = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const change = random.weighted<Record<string, string>>([
    [2, { paused: 'true' }],
    [3, { paused: 'false' }],
    [1, { plan: 'lapsed' }],
    [1, { plan: 'past_due', 'period-end': soon }],
    [2, { plan: 'active' }],
    [1, { sms: 'off' }],
    [2, { sms: 'on', whatsapp: 'on' }],
    [1, { whatsapp: 'off' }],
  ]);
  await runs(world, 'business set', [id], change);
}

export async function addsCredits(world: World): Promise<void> {
  const { id } = world.random.pick(world.businesses);
  await runs(world, 'credits add', [id, String(1 + world.random.below(3))], {});
}

export async function stopsRecipient(world: World): Promise<void> {
  const { random } = world;
  const { id, people } = random.pick(world.businesses);
  const email = random.pick(EMAILS);
  const channel = random.pick(['sms', 'whatsapp'] as const);
  await runs(world, 'recipient stop', [id, email], { channel }, () =>
    people.stoppedByOperator(email, channel),
  );
}

export async function mintsKey(world: World): Promise<void> {
  const { random } = world;
  const business = random.pick(world.businesses);
  if (business.minted.length > 3) return;
  const parent = business.minted.length > 0 && random.chance(0.6) ? random.pick(business.minted) : null;
  world.count('minted a key');
  await world.start('mints a key', world.anyProcess(), async () => {
    const { statusCode, body } = await world.stage.app.inject({
      method: 'POST',
      url: '/api/v1/keys',
      headers: { authorization: `Bearer ${parent?.key ?? business.apiKey}` },
    });
    if (statusCode !== 201) return;
    const { id, key }: { id: string; key: string } = JSON.parse(body);
    business.minted.push({ id, key });
    const orphaned = parent && world.snapshot.keys.find((one) => one.id === parent.id)?.revoked;
    const revoked = world.snapshot.keys.find((one) => one.id === id)?.revoked;
    if (orphaned && !revoked) world.fail(`the key ${id} lives although its parent was revoked`);
  });
}

/** Old things go, plans lapse. */
export async function housekeeping(world: World): Promise<void> {
  const { pool } = world.stage;
  const { clock, log } = world;
  const retention = world.random.chance(0.3);
  world.count(retention ? 'retention' : 'lapses');
  await world.start(retention ? 'retention' : 'lapses', world.anyProcess(), async () => {
    const loop = retention
      ? startRetention({ pool, clock, log })
      : startLapses({ pool, clock, log, onEvents: () => {} });
    try {
      await loop.drain();
    } finally {
      await loop.stop();
    }
  });
}
