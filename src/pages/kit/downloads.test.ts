import { get, type IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/waiting.ts';
import { sendCsv } from './csv.ts';
import { createDownloads, DOWNLOADS_MAX, DOWNLOADS_PER_SHOP_MAX } from './downloads.ts';

const TABLE = { fileName: 'numbers.csv', columns: [['number', (number: number) => number] as const] };

/** Files of shops at `/<shop>`, each with these pages; the ends of a response as the application notices them. */
async function openFiles(pages: () => AsyncIterable<number[]>) {
  const downloads = createDownloads();
  const app = fastify({ forceCloseConnections: true });
  app.decorateRequest('stream', null);
  app.decorateRequest('onEnd', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      request.stream?.destroy();
      request.onEnd?.();
    });
    done();
  });
  app.get<{ Params: { shop: string } }>('/:shop', async (request, reply) => {
    const answered = await downloads.answer(request.params.shop, request, async () =>
      sendCsv(request, reply, TABLE, downloads.read(request, pages())),
    );
    return typeof answered === 'string' ? reply.send(answered) : answered;
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return async (shop: string) => {
    const request = get(`${url}/${shop}`, { agent: false }).on('error', () => {});
    const answer = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    let text = '';
    answer.on('error', () => {}).on('data', (chunk) => (text += chunk));
    await eventually(() => expect(text).not.toBe(''));
    return { text: () => text, hangUp: () => request.destroy() };
  };
}

test('a file without a matching row is read no further once its reader hangs up', async () => {
  let ended = false;
  const open = await openFiles(async function* () {
    try {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        yield [];
      }
    } finally {
      ended = true;
    }
  });
  const file = await open('a');
  expect(file.text()).toContain('number');
  file.hangUp();
  await eventually(() => expect(ended).toBe(true));
});

test('all shops together have a limit, and each has one of its own', async () => {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const open = await openFiles(async function* () {
    await finished;
    yield [1, 2];
  });
  const files: Awaited<ReturnType<typeof open>>[] = [];
  for (let count = 0; count < DOWNLOADS_MAX; count += 1)
    files.push(await open(`shop-${Math.floor(count / DOWNLOADS_PER_SHOP_MAX)}`));
  expect(files.every(({ text }) => text().includes('number'))).toBe(true);
  expect((await open('shop-0')).text()).toBe('shop_limit');
  expect((await open('another')).text()).toBe('total_limit');
  finish();
  await eventually(() => expect(files.every(({ text }) => text().endsWith('1\r\n2\r\n'))).toBe(true));
  await eventually(async () => expect((await open('another')).text()).toContain('number'));
});
