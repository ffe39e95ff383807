import { commandInput } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { readConfig } from '../../src/environment/config.ts';
import { OperatorError } from '../../src/kit/errors.ts';
import { startLapses } from '../../src/outbox/lapses.ts';
import { startRetention } from '../../src/retention/retention.ts';
import { EMAILS } from './pushBodies.ts';
import type { Simulation } from './simulation.ts';

/** The operator's CLI commands, and the service's background work. */

async function runCommand(
  simulation: Simulation,
  path: string,
  words: readonly string[],
  flags: Record<string, string>,
  effect: () => void = () => {},
): Promise<void> {
  const called = commands.find((command) => command.path === path);
  if (!called) throw new Error(`there is no command ${path}`);
  const process = simulation.anyProcess();
  simulation.note(`operator: ${path} ${words.join(' ')} ${JSON.stringify(flags)}`);
  simulation.count(path);
  const { pool, hash, sealer } = simulation.testBed;
  await simulation.start(
    path,
    process,
    async () => {
      await called
        .run(commandInput(called, words, new Map(Object.entries(flags))), {
          env: {},
          config: readConfig({}),
          open: async () => ({
            pool,
            clock: simulation.clock,
            hasher: async () => hash,
            sealer: async () => sealer,
            secretKeys: async () => [],
          }),
          input: async function* () {},
          databaseUrl: async () => '',
        })
        .catch((error: unknown) => {
          // An operator's error, such as an unknown recipient.
          if (!(error instanceof OperatorError)) throw error;
        });
    },
    { effect },
  );
}

export async function changeAnySetting(simulation: Simulation): Promise<void> {
  const { random } = simulation;
  const { id } = random.pick(simulation.businesses);
  const soon = new Date(simulation.clock.now().getTime() + 60_000).toISOString();
  const change = random.weighted<Record<string, string>>([
    [2, { paused: 'true' }],
    [3, { paused: 'false' }],
    [2, { plan: 'lapsed' }],
    [1, { plan: 'past_due', 'period-end': soon }],
    [2, { plan: 'active' }],
    [1, { sms: 'off' }],
    [2, { sms: 'on', whatsapp: 'on' }],
    [1, { whatsapp: 'off' }],
  ]);
  await runCommand(simulation, 'business set', [id], change);
}

export async function addCredits(simulation: Simulation): Promise<void> {
  const { id } = simulation.random.pick(simulation.businesses);
  await runCommand(simulation, 'credits add', [id, String(1 + simulation.random.below(3))], {});
}

export async function stopAnyRecipient(simulation: Simulation): Promise<void> {
  const { random } = simulation;
  const { id, people } = random.pick(simulation.businesses);
  const email = random.pick(EMAILS);
  const channel = random.pick(['sms', 'whatsapp'] as const);
  await runCommand(simulation, 'recipient stop', [id, email], { channel }, () =>
    people.stoppedByOperator(email, channel),
  );
}

export async function mintKeyOf(simulation: Simulation): Promise<void> {
  const { random } = simulation;
  const business = random.pick(simulation.businesses);
  if (business.minted.length > 3) return;
  const parent = business.minted.length > 0 && random.chance(0.6) ? random.pick(business.minted) : null;
  simulation.count('minted a key');
  await simulation.start('mints a key', simulation.anyProcess(), async () => {
    const { statusCode, body } = await simulation.testBed.app.inject({
      method: 'POST',
      url: '/api/v1/keys',
      headers: { authorization: `Bearer ${parent?.key ?? business.apiKey}` },
    });
    if (statusCode !== 201) return;
    const { id, key }: { id: string; key: string } = JSON.parse(body);
    business.minted.push({ id, key });
    const orphaned = parent && simulation.snapshot.keys.find((one) => one.id === parent.id)?.revoked;
    const revoked = simulation.snapshot.keys.find((one) => one.id === id)?.revoked;
    if (orphaned && !revoked) simulation.fail(`the key ${id} lives although its parent was revoked`);
  });
}

/** Retention and lapsing plans. */
export async function runHousekeeping(simulation: Simulation): Promise<void> {
  const { pool } = simulation.testBed;
  const { clock, log } = simulation;
  const retention = simulation.random.chance(0.3);
  simulation.count(retention ? 'retention' : 'lapses');
  await simulation.start(retention ? 'retention' : 'lapses', simulation.anyProcess(), async () => {
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
