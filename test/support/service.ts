import { randomBytes } from 'node:crypto';
import { createBusiness, type NewBusiness } from '../../src/businesses/create.ts';
import type { SettingsChange } from '../../src/businesses/settings.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { loadPepper } from '../../src/db/instanceSecrets.ts';
import { transaction } from '../../src/db/transaction.ts';
import { type Environment, readConfig } from '../../src/environment/config.ts';
import { type Clock, later, systemClock } from '../../src/kit/clock.ts';
import { createHasher, createSealer, type Hasher } from '../../src/kit/seal.ts';
import type { Wiring } from '../../src/server/foundation.ts';
import { type Service, wire } from '../../src/server/wire.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { freePort } from './freePort.ts';
import { type LogLine, recordingLog } from './recordingLog.ts';
import { serviceUrl } from './sharedResources.ts';
import { Shop } from './shop.ts';

/** The whole product in this process, wired as in production, on a database of its own and a free port. */
export interface TestService extends Service {
  url: string;
  database: TestDatabase;
  /** What another process on the same database needs as SECRET_KEY. */
  secretKey: string;
  /** The keyed hash under which stops and suppressions are kept. */
  hash: Hasher;
  /** Every line that was logged. */
  logged: LogLine[];
  business(asked?: Partial<NewBusiness>): Promise<Shop>;
  /** An operator changes the shop's settings. */
  change(shop: Shop, settings: SettingsChange): Promise<void>;
  /** Moves the clock of the whole service and answers once nothing due is left. */
  advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }): Promise<Date>;
  close(): Promise<void>;
}

/** Rate limits are off unless a test turns them on. */
const QUIET = { RATE_LIMIT_PER_SECOND: '0', PORT: '0' };

interface Seams extends Partial<Pick<Wiring, 'sns' | 'publicUrl' | 'nameServers' | 'httpLimits'>> {
  /** The name by which browsers reach it: they allow no passkeys at an address. */
  publicHost?: string;
}

/**
 * `seams` stands in for what lies outside the machine: what would be asked there, and what it is called there. `route` may lead the
 * service to its database by another way.
 */
export async function startService(
  environment: Environment = {},
  { publicHost = '127.0.0.1', ...seams }: Seams = {},
  route: (databaseUrl: string) => Promise<string> = serviceUrl,
): Promise<TestService> {
  const database = await testDatabase();
  const logged: LogLine[] = [];
  const log = recordingLog(logged);
  const config = readConfig({ ...QUIET, ...environment });
  const secretKey = randomBytes(24).toString('base64url');
  const secretKeys = [secretKey];
  const databaseUrl = await route(database.url);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const wiring = {
    config,
    databaseUrl,
    secretKeys,
    publicUrl: `http://${publicHost}:${port}`,
    log,
    ...seams,
  };
  const service = await wire(wiring);
  await service.app.listen({ host: '127.0.0.1', port });
  let aheadMs = 0;
  const clock: Clock = { now: () => later(systemClock.now(), aheadMs) };
  return {
    ...service,
    url: address,
    database,
    secretKey,
    hash: createHasher(await loadPepper(service.pool, createSealer(secretKeys))),
    logged,
    async business(asked = {}) {
      const made = await createBusiness(service.pool, clock, { name: 'Acme Books', ...asked });
      return new Shop(address, made.businessId, made.apiKey);
    },
    async change({ businessId }, settings) {
      const now = clock.now();
      await transaction(service.pool, (tx) => changeSettings(tx, now, businessId, settings, 'operator'));
    },
    async advance({ seconds = 0, minutes = 0, hours = 0, days = 0 }) {
      const advance_seconds = seconds + 60 * (minutes + 60 * (hours + 24 * days));
      const response = await fetch(`${address}/sandbox/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advance_seconds }),
      });
      const answer: unknown = await response.json();
      const now = typeof answer === 'object' && answer !== null && 'now' in answer ? answer.now : null;
      if (typeof now !== 'string') throw new Error(`the clock did not move: ${JSON.stringify(answer)}`);
      aheadMs = Date.parse(now) - systemClock.now().getTime();
      return new Date(now);
    },
    async close() {
      await service.stop();
      await database.drop();
    },
  };
}
