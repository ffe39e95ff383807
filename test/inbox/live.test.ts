import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SESSION_LIFETIME_MS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/kit/clock.ts';
import { STREAMS_PER_RECIPIENT_MAX } from '../../src/pages/inbox/live.ts';
import { eventually } from '../support/waiting.ts';
import {
  type InboxRecipient,
  type InboxServer,
  type InboxSession,
  signInToInbox,
  startInboxServer,
} from './inboxServer.ts';

let shop: InboxServer;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

async function reading(): Promise<{ person: InboxRecipient; reader: InboxSession }> {
  const person = await (await shop.business()).recipient();
  return { person, reader: await signInToInbox(shop, await person.link(null)) };
}

/** A stream as a browser keeps it: what was said on it so far, and whether it is over. */
async function listen(of: InboxServer, reader: InboxSession, headers: Record<string, string> = {}) {
  const path = /data-live="([^"]+)"/.exec((await reader.get('/inbox')).body)?.[1] ?? '';
  // A connection of its own, which ends when it is hung up.
  const request = get(of.url + path, { agent: false, headers: { cookie: reader.cookie, ...headers } });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  let said = '';
  answer
    .on('error', () => {})
    .on('data', (chunk) => {
      said += chunk;
    });
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    said: () => said,
    over: () => answer.closed,
    hangUp: () => request.destroy(),
  };
}

const until = (holds: () => boolean): Promise<void> => eventually(() => expect(holds()).toBe(true), 5_000);
const changes = (said: string): number => said.split('event: changed').length - 1;

test('an open page learns of a new message, also when another process wrote it', async () => {
  const { person, reader } = await reading();
  const stream = await listen(shop, reader);
  expect(stream.type).toBe('text/event-stream; charset=utf-8');
  await person.message();
  await until(() => changes(stream.said()) === 1);
  stream.hangUp();
});

test.each([
  ['updated', `update messages set body = 'x', updated_at = updated_at + interval '1 minute' where id = $1`],
  ['retracted', `update messages set status = 'retracted', retracted_at = now() where id = $1`],
  ['replaced', `update messages set status = 'obsolete', obsoleted_at = now() where id = $1`],
  ['opened elsewhere', `update messages set opened_at = now() where id = $1`],
])('an open page learns that a message was %s', async (_what, sql) => {
  const { person, reader } = await reading();
  const message = await person.message();
  const stream = await listen(shop, reader);
  await shop.rows(sql, message);
  await until(() => changes(stream.said()) === 1);
  stream.hangUp();
});

test('an open page learns that a message was opened again elsewhere', async () => {
  const { person, reader } = await reading();
  const message = await person.message({ opened: true });
  await shop.rows('update messages set unread_again = true where id = $1', message);
  const stream = await listen(shop, reader);
  await reader.submit(`/inbox/messages/${message}/open`);
  await until(() => changes(stream.said()) === 1);
  stream.hangUp();
});

test('a page that is up to date is not refreshed, also when another person gets a message', async () => {
  const { reader } = await reading();
  const other = await reading();
  const stream = await listen(shop, reader);
  await other.person.message();
  await new Promise((resolve) => setTimeout(resolve, 2_600));
  expect(changes(stream.said())).toBe(0);
  stream.hangUp();
});

test('what changed between the page and the stream, or while the stream was down, is not missed', async () => {
  const { person, reader } = await reading();
  const stream = await listen(shop, reader, { 'last-event-id': 'what was seen long ago' });
  await until(() => changes(stream.said()) === 1);
  const [, print] = /id: (\w+)/.exec(stream.said()) ?? [];
  stream.hangUp();
  const upToDate = await listen(shop, reader, { 'last-event-id': print ?? '' });
  await person.message();
  await until(() => changes(upToDate.said()) === 1);
  upToDate.hangUp();
});

test('signing out ends the stream, and so does the end of the session', async () => {
  const { reader } = await reading();
  const stream = await listen(shop, reader);
  await reader.submit('/inbox/sign-out');
  await until(() => stream.over());
  expect(stream.said()).toContain('event: ended');

  const other = await startInboxServer();
  const person = await (await other.business()).recipient();
  const late = await signInToInbox(other, await person.link(null));
  const expiring = await listen(other, late);
  other.advance(SESSION_LIFETIME_MS + 1);
  await until(() => expiring.over());
  await other.close();
});

test('nobody listens without a session, and of the streams of one person past a few the oldest ends', async () => {
  expect((await shop.app.inject({ url: '/inbox/live' })).statusCode).toBe(403);
  const { person, reader } = await reading();
  const streams: Awaited<ReturnType<typeof listen>>[] = [];
  for (let count = 0; count < STREAMS_PER_RECIPIENT_MAX; count += 1) streams.push(await listen(shop, reader));
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  const elsewhere = await signInToInbox(shop, await person.link(null));
  const another = await listen(shop, elsewhere);
  expect(another.status).toBe(200);
  await until(() => streams[0]?.over() ?? false);
  // It comes back later, since it would only take the place of another one at once.
  expect(streams[0]?.said()).toMatch(/retry: 60000\n\n$/);
  expect(streams[0]?.said()).not.toContain('event: ended');
  expect(streams.slice(1).some((stream) => stream.over())).toBe(false);
  for (const stream of [another, ...streams]) stream.hangUp();
});

test('a server that closes does not wait for its streams', async () => {
  const closing = await startInboxServer();
  const person = await (await closing.business()).recipient();
  const stream = await listen(closing, await signInToInbox(closing, await person.link(null)));
  const started = monotonicMs();
  await closing.app.close();
  await until(() => stream.over());
  expect(monotonicMs() - started).toBeLessThan(3_000);
  await closing.close();
});
