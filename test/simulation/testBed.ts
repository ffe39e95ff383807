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

/** The test bed's view of a simulation. */
export interface RunningSimulation {
  scheduler: SimulationScheduler;
  clock: Clock;
  log: Log;
  currentService(): SimulatedService;
}

/** The shared parts of simulations: a database, connections to it, and the HTTP server. */
export interface TestBed {
  connections: SimulatedConnections;
  pool: Pool;
  app: FastifyInstance;
  hash: Hasher;
  sealer: Sealer;
  /** An empty database and a new simulation. */
  clear(simulation: RunningSimulation): Promise<void>;
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
       and relname not in ('pgmigrations', 'whatsapp_templates', 'service_clock', 'restore_guard') order by 1`,
  );
  const names = tables.rows.map(({ name }) => name);
  // Autovacuum runs at arbitrary times, and plans depend on its statistics.
  await monitor.query(names.map((name) => `alter table ${name} set (autovacuum_enabled = off)`).join('; '));
  const emptied = `truncate ${names.join(', ')}`;

  let simulation: RunningSimulation | null = null;
  const current = (): RunningSimulation => {
    if (!simulation) throw new Error('no simulation is running');
    return simulation;
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
      simulation = next;
    },
    async close() {
      await app.close();
      await hands.close();
    },
  };
}

/** For the HTTP server, which needs the operations' schemas and never calls these. */
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
  return { providers: journal.byChannel, receivers, random: () => 0, onDecided: () => {} };
}
