import type { FastifyInstance } from 'fastify';
import type { Pool } from '../../src/db/pool.ts';
import type { Clock } from '../../src/kit/clock.ts';
import type { Log } from '../../src/kit/log.ts';
import { createHasher, createSealer, type Hasher, type Sealer } from '../../src/kit/seal.ts';
import { openSimulatedConnections, type SimulatedConnections, scheduledPool } from './connections.ts';
import { Random } from './random.ts';
import type { SimulationScheduler } from './scheduler.ts';
import { installSimulatedGlobals } from './simulatedGlobals.ts';
import { SimulatedProviders } from './simulatedProviders.ts';
import { SimulatedReceivers } from './simulatedReceivers.ts';
import { createSimulatedService, dispatchingApp, type SimulatedService } from './simulatedService.ts';

/** What the stage needs of whoever plays on it. */
export interface RunningSimulation {
  scheduler: SimulationScheduler;
  clock: Clock;
  log: Log;
  currentService(): SimulatedService;
}

/** What simulations share: a database, connections to it, and the front door of the product. */
export interface TestBed {
  connections: SimulatedConnections;
  pool: Pool;
  app: FastifyInstance;
  hash: Hasher;
  sealer: Sealer;
  /** An empty database and a new player. */
  clear(player: RunningSimulation): Promise<void>;
  close(): Promise<void>;
}

const PEPPER = Buffer.alloc(32, 7);
const SECRET_KEY = 'the secret key of every simulation';

export async function openTestBed(databaseUrl: string): Promise<TestBed> {
  installSimulatedGlobals();
  const hands = await openSimulatedConnections(databaseUrl);
  const { monitor } = hands;
  const tables = await monitor.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname not in ('pgmigrations', 'whatsapp_templates', 'service_clock') order by 1`,
  );
  const names = tables.rows.map(({ name }) => name);
  // What a vacuum or an analysis does depends on the hour, and plans depend on it.
  await monitor.query(names.map((name) => `alter table ${name} set (autovacuum_enabled = off)`).join('; '));
  const emptied = `truncate ${names.join(', ')}`;

  let player: RunningSimulation | null = null;
  const current = (): RunningSimulation => {
    if (!player) throw new Error('nobody plays');
    return player;
  };
  const pool = scheduledPool(hands, () => current().scheduler);
  const clock: Clock = { now: () => current().clock.now() };
  const log: Log = {
    debug: (fields, message) => current().log.debug(fields, message),
    info: (fields, message) => current().log.info(fields, message),
    warn: (fields, message) => current().log.warn(fields, message),
    error: (fields, message) => current().log.error(fields, message),
  };
  const hash = createHasher(PEPPER);
  const sealer = createSealer([SECRET_KEY]);
  const app = dispatchingApp(
    createSimulatedService({ pool, clock, log, hash, sealer, ...nobody() }),
    clock,
    log,
    () => current().currentService(),
  );
  await app.ready();
  return {
    connections: hands,
    pool,
    app,
    hash,
    sealer,
    async clear(next) {
      await monitor.query(emptied);
      player = next;
    },
    async close() {
      await app.close();
      await hands.close();
    },
  };
}

/** For the front door, which needs to know the operations and never calls anyone. */
function nobody() {
  const deps = {
    random: new Random(0),
    count: () => {},
    healing: () => true,
    scheduler: (): SimulationScheduler => {
      throw new Error('nobody is called');
    },
  };
  const journal = new SimulatedProviders({ ...deps, onCall: () => {} });
  const receivers = new SimulatedReceivers({ ...deps, secretOf: () => '', isDead: () => false });
  return { providers: journal.byChannel, receivers, random: () => 0, onPush: () => () => {} };
}
