import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  AuthenticationError,
  CursorExpiredError,
  type EventFollower,
  ValidationError,
} from '../../clients/typescript/src/index.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { clientOf } from './clientOf.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The ids of the next events; the follower stays where it is. */
async function take(follower: EventFollower, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of follower) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

/** The cursor of now is fetched first; an event before that would rightly be missed. */
async function untilBegun(follower: EventFollower): Promise<void> {
  while (follower.cursor === 'latest') await new Promise((resolve) => setTimeout(resolve, 10));
}

async function shopWithEvents(count: number): Promise<Shop> {
  const shop = await service.business();
  for (let index = 0; index < count; index += 1)
    await shop.pushed({ recipient_email: `person${index}@example.com` });
  await service.advance({ seconds: 5 });
  return shop;
}

const eventIds = async (shop: Shop): Promise<string[]> => {
  const { items } = await clientOf(shop).events.page({ limit: 1_000 });
  return items.map(({ id }) => id);
};

test('a follower sees what happened and then what happens, each once, in order', async () => {
  const shop = await shopWithEvents(3);
  const follower = clientOf(shop).events.follow({ limit: 2 });
  const seen = take(follower, 5);
  await shop.pushed({ recipient_email: 'later@example.com' });
  await shop.pushed({ recipient_email: 'latest@example.com' });
  await service.advance({ seconds: 5 });
  expect(await seen).toEqual(await eventIds(shop));
});

test('from a saved cursor it goes on: nothing is lost, wherever it stopped', async () => {
  const shop = await shopWithEvents(5);
  const all = await eventIds(shop);
  for (let stop = 1; stop <= all.length; stop += 1) {
    const first = clientOf(shop).events.follow({ limit: 2 });
    const before = await take(first, stop);
    const after = first.cursor ?? undefined;
    // The cursor moves with the last event of a page, so events of a page that was begun come again.
    const missing = all.filter((id) => !before.includes(id));
    const rest =
      missing.length === 0
        ? []
        : await take(
            clientOf(shop).events.follow({ after }),
            missing.length + (stop % 2 === 1 && stop < all.length ? 1 : 0),
          );
    expect([...new Set([...before, ...rest])]).toEqual(all);
  }
});

test('latest begins with what happens from now on, and types leave out the rest', async () => {
  const shop = await shopWithEvents(2);
  const latest = clientOf(shop).events.follow({ after: 'latest' });
  const next = take(latest, 1);
  const bounced = take(clientOf(shop).events.follow({ types: ['message.bounced'] }), 1);
  await untilBegun(latest);
  await shop.pushed({ recipient_email: 'bounce@example.com' });
  await service.advance({ seconds: 5 });
  expect(await next).toEqual((await eventIds(shop)).slice(2, 3));
  expect(await bounced).toEqual((await eventIds(shop)).slice(2, 3));
});

test('an abort ends the waiting with its reason', async () => {
  const shop = await service.business();
  const controller = new AbortController();
  const reason = new Error('the program ends');
  const waiting = take(clientOf(shop).events.follow({ signal: controller.signal }), 1);
  setTimeout(() => controller.abort(reason), 100);
  await expect(waiting).rejects.toBe(reason);
});

test('it outlives a server that goes away and comes back', async () => {
  const shop = await service.business();
  const gate = await openGate(service.url);
  const retried: string[] = [];
  const waypost = clientOf(
    { url: gate.url, apiKey: shop.apiKey },
    { deadlineMs: 100, onRetry: ({ error }) => retried.push(error.code) },
  );
  const follower = waypost.events.follow({ after: 'latest', waitSeconds: 5 });
  const seen = take(follower, 2);
  await untilBegun(follower);
  await shop.pushed({ recipient_email: 'one@example.com' });
  await service.advance({ seconds: 5 });
  await gate.shut();
  await shop.pushed({ recipient_email: 'two@example.com' });
  await service.advance({ seconds: 5 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await gate.reopen();
  expect(await seen).toEqual(await eventIds(shop));
  expect(retried.length).toBeGreaterThan(0);
});

test('a cursor whose events are gone, one that is none, and a wrong key are told as what they are', async () => {
  const shop = await shopWithEvents(2);
  const old = await clientOf(shop).events.page({ limit: 1 });
  await expect(take(clientOf(shop).events.follow({ after: 'x' }), 1)).rejects.toBeInstanceOf(ValidationError);
  const stranger = clientOf({ url: shop.url, apiKey: `${shop.apiKey}x` });
  await expect(take(stranger.events.follow(), 1)).rejects.toBeInstanceOf(AuthenticationError);
  await service.advance({ days: 40 });
  const expired = take(clientOf(shop).events.follow({ after: old.next }), 1);
  await expect(expired).rejects.toBeInstanceOf(CursorExpiredError);
});

/** A way to the service that can be shut: connections break, and new ones are refused. */
async function openGate(
  target: string,
): Promise<{ url: string; shut(): Promise<void>; reopen(): Promise<void> }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const behind = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const own = await listenOnFreePort(server);
  const shut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(shut);
  return {
    url: `http://127.0.0.1:${own}`,
    shut,
    reopen: () => new Promise((resolve) => void server.listen(own, '127.0.0.1', resolve)),
  };
}
