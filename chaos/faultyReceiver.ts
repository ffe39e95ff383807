import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import { verify } from '../test/support/verifySignature.ts';
import { listenUntilEnd } from './faultProxy.ts';

/** A merchant's webhook endpoint that checks every signature, keeps every body, and fails at random. */
export interface FaultyReceiver {
  readonly port: number;
  /** The secret it verifies with, once the endpoint was created. */
  secret: string;
  /** Bodies by event id, of all requests answered 200, even if the response did not arrive. */
  readonly accepted: Map<string, string>;
  readonly counts: { requests: number; unverified: number; changed: number };
  /** `always` accepts nothing. */
  faults: 'none' | 'some' | 'always';
}

const ERRORS = 0.14;
const RESETS = 0.14;
/** Few, since each occupies a slot until the attempt times out. */
const SILENCES = 0.02;

export async function openFaultyReceiver(
  chance: SeededRandom,
  faults: FaultyReceiver['faults'],
): Promise<FaultyReceiver> {
  const accepted = new Map<string, string>();
  const counts = { requests: 0, unverified: 0, changed: 0 };
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    counts.requests += 1;
    const signature = String(request.headers['x-service-signature']);
    if (!verify(receiver.secret, signature, body, Date.now() / 1_000)) counts.unverified += 1;
    if (receiver.faults === 'always') return void response.writeHead(500).end();
    const lot = receiver.faults === 'none' ? 1 : chance.next();
    if (lot < ERRORS) return void response.writeHead(503).end();
    if (lot < ERRORS + RESETS) return void request.socket.resetAndDestroy();
    if (lot < ERRORS + RESETS + SILENCES) return;
    const id = String(request.headers['x-service-delivery']);
    if ((accepted.get(id) ?? body) !== body) counts.changed += 1;
    accepted.set(id, body);
    response.writeHead(200).end();
  });
  const receiver = { port: await listenUntilEnd(server), secret: '', accepted, counts, faults };
  return receiver;
}
