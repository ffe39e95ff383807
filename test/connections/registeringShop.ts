import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { addConnection, type Connection, findConnection } from '../../src/connections/connections.ts';
import type { TrackingKindName } from '../../src/connections/kinds/kind.ts';
import { type RegisterDeps, startRegistering } from '../../src/connections/register.ts';
import { type Clock, later, systemClock } from '../../src/kit/clock.ts';
import type { Loop } from '../../src/kit/loop.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { catchUp } from '../../src/orders/projector.ts';
import { putShipment } from '../../src/orders/putShipment.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { testDatabase } from '../support/database.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { type LogLine, recordingLog } from '../support/recordingLog.ts';
import { SECRET_KEY } from '../support/secretKey.ts';

/** One request that a tracking service got. */
export interface RegistrationRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export type AnswerRegistration = (response: ServerResponse, request: RegistrationRequest) => unknown;

/**
 * A shop on a database of its own, with a tracking service on loopback, under a clock that stands still but for the tests.
 */
export async function openRegisteringShop(answer: AnswerRegistration = (response) => response.end('{}')) {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  const { pool } = database;
  let now = systemClock.now();
  const clock: Clock = { now: () => now };
  const service = await startService(answer);
  const allowHosts = createAllowList([`127.0.0.1:${service.port}`]);
  const client = createGuardedClient({ resolve: () => Promise.resolve([]), allowHosts });
  onTestFinished(() => client.destroy());
  const logged: LogLine[] = [];
  const sealer = createSealer([SECRET_KEY]);
  const deps = { pool, clock, sealer, client, log: recordingLog(logged) };
  const { businessId } = await createBusiness(pool, clock, { name: 'Acme Books' });

  return {
    ...deps,
    businessId,
    logged,
    ...service,
    advance(milliseconds: number): void {
      now = later(now, milliseconds);
    },
    /** With an API key, which the service at `storeUrl` knows. */
    async connect(kind: TrackingKindName, storeUrl: string | null = service.url): Promise<Connection> {
      const credentials = { key: 'key-1', secret: '' };
      const of = { businessId, kind, name: null, secret: 's', storeUrl, credentials, actor: 'operator' };
      return (await addConnection(deps, of)).connection;
    },
    /** As a shop does that only names the number. */
    async ship(
      trackingNumber: string,
      carrier: string | null = 'UPS',
      reference = trackingNumber,
    ): Promise<void> {
      now = later(now, 1);
      const facts = { trackingNumber, carrier, trackingUrl: null, expectedOn: null, expectedUntil: null };
      await putShipment(deps, businessId, reference, facts);
      await catchUp(deps, businessId);
    },
    /** A process that registers, until the test ends. */
    start(over: Pick<RegisterDeps, 'callMs'> = {}): Loop {
      const loop = startRegistering({ ...deps, ...over });
      onTestFinished(() => loop.stop());
      return loop;
    },
    /** The connection as it is now. */
    async again({ id }: Connection): Promise<Connection> {
      const found = await findConnection(pool, id);
      if (found === null) throw new Error('the connection is gone');
      return found;
    },
    async registrations(): Promise<Record<string, unknown>[]> {
      const { rows } = await pool.query(
        `select tracking_number, carrier, attempts, due_at, registered_at is not null as registered, error
         from tracking_registrations order by tracking_number`,
      );
      return rows;
    },
  };
}

async function startService(answer: AnswerRegistration) {
  const requests: RegistrationRequest[] = [];
  const server = createServer((message, response) => {
    void read(message).then((request) => {
      requests.push(request);
      answer(response, request);
    });
  });
  const { port } = await startLoopbackServer(server);
  return { requests, port, url: `http://127.0.0.1:${port}` };
}

async function read(message: IncomingMessage): Promise<RegistrationRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const { method = '', url: path = '', headers } = message;
  return { method, path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
}
