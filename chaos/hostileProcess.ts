import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { pushTo } from './pushClient.ts';

/** Hostile shops, in their own process, so that they do not share an event loop with the measurement. */

export interface HostileOptions {
  baseUrl: string;
  /** Keys of three shops: one announces bodies and stalls, one streams endlessly, one pushes at full speed. */
  announcing: string[];
  streaming: string[];
  hammering: string[];
}

/** Requests by response status; 0: closed without a response, 1: started. */
export type Tally = Record<string, Record<number, number>>;

const STARTED = 1;
const ANNOUNCING_SOCKETS = 64;
const ANNOUNCED_BYTES = 8 * 1024 * 1024;
/** Shorter than the service's body timeout, so that some bytes arrive. */
const DRIP_EVERY_MS = 10_000;
const STREAMING_SOCKETS = 64;
/** All sockets together send about 100 MiB per second, a full gigabit link. */
const CHUNK_BYTES = 64 * 1024;
const CHUNK_EVERY_MS = 40;
const HAMMERING_SOCKETS_PER_KEY = 8;
const RECONNECT_AFTER_MS = 50;

const DRIP = Buffer.from(' ');
const CHUNK = Buffer.from(`${CHUNK_BYTES.toString(16)}\r\n${' '.repeat(CHUNK_BYTES)}\r\n`);

export default async function openHostileShops(options: HostileOptions) {
  // In production they have their own machines: only their load on the service counts, not their use of these cores.
  setPriority(constants.priority.PRIORITY_LOW);
  const tally: Tally = {};
  let stop = async (): Promise<void> => {};
  return {
    start: async (): Promise<void> => {
      stop = begin(options, tally);
    },
    stop: async (): Promise<Tally> => {
      await stop();
      return tally;
    },
  };
}

/** Returns a function that stops them. */
function begin({ baseUrl, announcing, streaming, hammering }: HostileOptions, tally: Tally) {
  let isOver = false;
  const sockets = new Set<Socket>();
  const hammers = hammering.length * HAMMERING_SOCKETS_PER_KEY;
  const dispatcher = new Agent({ connections: hammers, pipelining: 1 });
  const count = (who: string, status: number): void => {
    if (isOver) return;
    tally[who] ??= {};
    tally[who][status] = (tally[who][status] ?? 0) + 1;
  };

  /** One request after the other, each on its own connection until the service closes it. */
  const keepSending = async (who: string, head: string, everyMs: number, part: Buffer): Promise<void> => {
    while (!isOver) {
      const { hostname, port } = new URL(baseUrl);
      const socket = connect(Number(port), hostname);
      sockets.add(socket);
      let received = '';
      socket.setEncoding('latin1').on('data', (text) => {
        received += text;
      });
      socket.on('error', () => {});
      socket.write(head);
      count(who, STARTED);
      const timer = setInterval(() => socket.writableLength < part.length && socket.write(part), everyMs);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(timer);
      sockets.delete(socket);
      count(who, Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0));
      await sleep(RECONNECT_AFTER_MS);
    }
  };
  const head = (path: string, key: string, framing: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${randomUUID()}\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`;
  const announce = (key: string): Promise<void> => {
    const announced = head('/api/v1/messages/batch', key, `Content-Length: ${ANNOUNCED_BYTES}`);
    return keepSending('announcing', `${announced}{"items": [ `, DRIP_EVERY_MS, DRIP);
  };
  const stream = (key: string): Promise<void> =>
    keepSending(
      'streaming',
      head('/api/v1/messages', key, 'Transfer-Encoding: chunked'),
      CHUNK_EVERY_MS,
      CHUNK,
    );
  const hammer = async (apiKey: string): Promise<void> => {
    while (!isOver) {
      const { status } = await pushTo({ baseUrl, apiKey, dispatcher }, randomUUID(), 'Again and again.');
      count('hammering', status);
    }
  };
  const all = [
    ...repeated(announcing, ANNOUNCING_SOCKETS).map(announce),
    ...repeated(streaming, STREAMING_SOCKETS).map(stream),
    ...repeated(hammering, hammers).map(hammer),
  ];
  return async (): Promise<void> => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
    await dispatcher.destroy();
    await Promise.all(all);
  };
}

const repeated = (keys: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, n) => keys[n % keys.length] ?? '');
