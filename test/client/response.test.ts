import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { NotFoundError, type Waypost } from '../../clients/typescript/src/index.ts';
import { startService, type TestService } from '../support/service.ts';
import { answer, serverOf } from './answers.ts';
import { clientOf } from './clientOf.ts';

let service: TestService;
let waypost: Waypost;
beforeAll(async () => {
  service = await startService();
  waypost = clientOf(await service.business());
});
afterAll(() => service.close());

const PUSH = { recipient_email: 'ann@example.com', subject: 'Order #1001', body: 'It has shipped.' };

test('the answer says whether it was replayed, and its request id, status and headers', async () => {
  const options = { idempotencyKey: 'order-1001' };
  const first = await waypost.messages.push(PUSH, options).withResponse();
  expect(first).toMatchObject({ status: 201, replayed: false, data: { subject: PUSH.subject } });
  expect(first.requestId).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(first.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  const again = await waypost.messages.push(PUSH, options).withResponse();
  expect(again).toMatchObject({ status: 201, replayed: true, data: first.data });
  expect(again.requestId).not.toBe(first.requestId);
  const outbox = await waypost.sandbox.outbox().withResponse();
  expect([outbox.status, Array.isArray(outbox.data)]).toEqual([200, true]);
  const { id } = await waypost.keys.create();
  expect(await waypost.keys.revoke(id).withResponse()).toMatchObject({ data: undefined, status: 204 });
});

test('the call is made once, and is a promise like any other', async () => {
  const { url, requests } = await serverOf(answer(200, { balance: 1 }));
  const { credits } = clientOf({ url, apiKey: 'way_live_x' });
  const call = credits.get();
  expect(call).toBeInstanceOf(Promise);
  expect([await call, (await call.withResponse()).data]).toEqual([{ balance: 1 }, { balance: 1 }]);
  expect(requests).toHaveLength(1);
  const ends: string[] = [];
  const late = credits.get().finally(() => ends.push('finally'));
  expect(await Promise.all([late, credits.get().then(({ balance }) => balance)])).toEqual([
    { balance: 1 },
    1,
  ]);
  expect(await Promise.race([credits.get()])).toEqual({ balance: 1 });
  expect(ends).toEqual(['finally']);
});

/** Calls that fail, and how many of their failures nobody handles. */
test.each<[string, number, (fails: () => ReturnType<Waypost['messages']['get']>) => unknown]>([
  ['the result is awaited', 0, (fails) => expect(fails()).rejects.toBeInstanceOf(NotFoundError)],
  ['the response is awaited', 0, (fails) => expect(fails().withResponse()).rejects.toThrow(NotFoundError)],
  [
    'both are',
    0,
    async (fails) => {
      const call = fails();
      await expect(call).rejects.toBeInstanceOf(NotFoundError);
      await expect(call.withResponse()).rejects.toBeInstanceOf(NotFoundError);
    },
  ],
  ['catch handles it', 0, (fails) => fails().catch(() => null)],
  ['nobody awaits it', 1, (fails) => void fails()],
  ['nobody awaits its response', 1, (fails) => void fails().withResponse()],
  [
    'nobody awaits what follows',
    1,
    (fails) =>
      void fails().then(
        () => {},
        (error) => Promise.reject(error),
      ),
  ],
])('when %s, %d failures are unhandled', async (_what, expected, use) => {
  const unhandled: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => unhandled.push(error));
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  });
  let done = 0;
  const { url } = await serverOf(answer(404, { error_code: 'message.not_found', detail: 'No.' }));
  const { messages } = clientOf({ url, apiKey: 'way_live_x' });
  await use(() => messages.get('nothing'));
  while (done < 200 && unhandled.length <= expected) {
    done += 1;
    await turn();
  }
  expect(unhandled).toHaveLength(expected);
});
