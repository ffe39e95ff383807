import { setMaxListeners } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLoadConnection } from '../load/connection.ts';

/** Somebody at the dashboard: what they look at in turn. */
export interface Person {
  businessId: string;
  cookie: string;
  requests: string[];
}

/** How long a person looks at a page before the next one. */
const READING_MS = 5_000;

/** Lets people read, each with an open list that is asked for again when it changed. */
export async function browseAsPeople(port: number, people: readonly Person[]): Promise<{ stop(): void }> {
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  await Promise.all(people.map((person, place) => browse(port, person, place, people.length, ending.signal)));
  return { stop: () => ending.abort() };
}

/** Resolves once the person's stream is open; then goes on by itself. */
async function browse(
  port: number,
  { businessId, cookie, requests }: Person,
  place: number,
  people: number,
  signal: AbortSignal,
): Promise<void> {
  const connection = await openLoadConnection(port);
  let last: Promise<unknown> = Promise.resolve();
  /** One request at a time on the connection. */
  const request = (bytes: string): Promise<unknown> => {
    last = last.then(() => (signal.aborted ? null : connection.request(bytes))).catch(() => {});
    return last;
  };
  const list = `GET /dashboard/${businessId}/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: ${cookie}\r\nx-by-itself: yes\r\n\r\n`;
  const stream = get({
    port,
    path: `/dashboard/${businessId}/live?seen=none`,
    headers: { cookie },
    agent: false,
  });
  stream.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    stream.once('error', reject).once('response', (answer) => {
      answer
        .on('error', () => {})
        .on('data', (chunk) => {
          if (String(chunk).includes('event: changed')) void request(list);
        });
      resolve();
    });
  });
  signal.addEventListener('abort', () => {
    stream.destroy();
    connection.close();
  });
  const read = async (): Promise<void> => {
    // Not all at the same moment.
    await sleep((place * READING_MS) / people, undefined, { signal });
    for (let at = place; ; at += 1) {
      await request(requests[at % requests.length] ?? '');
      await sleep(READING_MS, undefined, { signal });
    }
  };
  read().catch(() => {});
}
