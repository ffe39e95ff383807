import { createServer } from 'node:http';
import { verify } from '../src/webhooks/signature.ts';
import { listenOnFreePort } from '../test/support/freePort.ts';
import type { SeededRandom } from './seededRandom.ts';

/** A merchant's webhook endpoint that checks every signature, keeps every body, and fails at random. */
export interface FaultyReceiver {
  readonly port: number;
  /** The secret it verifies with, once the endpoint was created. */
  secret: string;
  /** Bodies by event id, of all requests answered 200, even if the response did not arrive. */
  readonly accepted: Map<string, string>;
  readonly counts: { requests: number; unverified: number; changed: number };
  heal(): void;
  close(): void;
}

const ERRORS = 0.14;
const RESETS = 0.14;
/** Few, since each occupies a slot until the attempt times out. */
const SILENCES = 0.02;
const TOLERANCE_SECONDS = 300;

/** `faults: 'always'` accepts nothing, not even when healed. */
export async function openFaultyReceiver(
  chance: SeededRandom,
  faults: 'some' | 'always',
): Promise<FaultyReceiver> {
  const accepted = new Map<string, string>();
  const counts = { requests: 0, unverified: 0, changed: 0 };
  let healed = false;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      counts.requests += 1;
      const signature = String(request.headers['x-service-signature'] ?? '');
      if (!verify(receiver.secret, signature, body, Date.now() / 1000, TOLERANCE_SECONDS))
        counts.unverified += 1;
      if (faults === 'always') return void response.writeHead(500).end();
      const lot = healed ? 1 : chance.next();
      if (lot < ERRORS) return void response.writeHead(503).end();
      if (lot < ERRORS + RESETS) return void request.socket.resetAndDestroy();
      if (lot < ERRORS + RESETS + SILENCES) return;
      const id = String(request.headers['x-service-delivery'] ?? '');
      const before = accepted.get(id);
      if (before !== undefined && before !== body) counts.changed += 1;
      accepted.set(id, body);
      response.writeHead(200).end();
    });
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  const receiver: FaultyReceiver = {
    port: await listenOnFreePort(server),
    secret: '',
    accepted,
    counts,
    heal: () => {
      healed = true;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
