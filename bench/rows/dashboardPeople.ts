import { once, setMaxListeners } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLoadConnection } from '../load/connection.ts';
import type { BenchServer } from '../program.ts';

/** Somebody at the dashboard. */
export interface Person {
  cookie: string;
  /** The open page, which is asked for again when it changed. */
  list: string;
  /** What they look at in turn. */
  requests: string[];
}

/** How long a person looks at a page before the next one. */
const READING_MS = 5_000;

/** Lets people read, each with an open list that updates itself. Resolves once all of them have it open. */
export async function browseAsPeople(
  server: BenchServer,
  people: readonly Person[],
): Promise<{ stop(): void }> {
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const browsing = people.map((person, at) => browse(server, person, at / people.length, ending.signal));
  await Promise.all(browsing);
  return { stop: () => ending.abort() };
}

async function browse(
  { port, database }: BenchServer,
  { cookie, list, requests }: Person,
  /** Not all read at the same moment. */
  offset: number,
  signal: AbortSignal,
): Promise<void> {
  const connection = await openLoadConnection(port);
  let last: Promise<unknown> = Promise.resolve();
  /** One request at a time on the connection. */
  const request = (bytes: string): Promise<unknown> => {
    last = last.then(() => (signal.aborted ? null : connection.request(bytes))).catch(() => {});
    return last;
  };
  const path = `/dashboard/${database.businessId}/live?seen=none`;
  const stream = get({ port, path, headers: { cookie }, agent: false });
  const [answer] = await once(stream, 'response');
  stream.on('error', () => {});
  answer.on('error', () => {});
  answer.on('data', (chunk: Buffer) => {
    if (String(chunk).includes('event: changed')) void request(list);
  });
  signal.addEventListener('abort', () => {
    stream.destroy();
    connection.close();
  });
  const read = async (): Promise<void> => {
    await sleep(offset * READING_MS, undefined, { signal });
    for (let at = Math.round(offset * requests.length); ; at += 1) {
      await request(requests[at % requests.length] ?? '');
      await sleep(READING_MS, undefined, { signal });
    }
  };
  read().catch(() => {});
}
