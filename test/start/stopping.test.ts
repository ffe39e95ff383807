import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startLoopbackServer } from '../support/loopback.ts';
import { preparedFolder } from '../support/preparedFolder.ts';
import { buildProgram, killAllPrograms, processesUsing, startProgram } from '../support/program.ts';
import { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

let folder: Awaited<ReturnType<typeof preparedFolder>>;
beforeAll(buildProgram);
beforeEach(async () => {
  folder = await preparedFolder();
});
afterEach(async () => {
  await killAllPrograms();
  await folder.remove();
});
afterAll(killAllPrograms);
vi.setConfig({ testTimeout: 120_000 });

test('Ctrl-C ends everything in time although a receiver never answers; the next start sends it again', async () => {
  const received: { id: string; type: string }[] = [];
  let answers = false;
  const receiver = await startLoopbackServer(
    createServer(({ headers }, response) => {
      received.push({ id: String(headers['webhook-id']), type: String(headers['x-service-event']) });
      if (answers) response.end();
    }),
  );
  const env = { DATA_DIR: folder.path, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiver.port}` };
  const program = await startProgram(env);
  const { api_key } = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8'));
  const shop = new Shop(program.url, '', api_key);
  const made = await shop.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: `http://127.0.0.1:${receiver.port}/` },
  });
  await shop.push({ recipient_email: 'ann@example.com' });
  // A request of the interface that waits for the same receiver.
  const testing = shop.post(`/api/v1/webhook-endpoints/${Object(made.body).id}/test`).catch(() => null);
  await eventually(async () => {
    expect(received.map(({ type }) => type).sort()).toEqual(['message.delivered', 'ping']);
  });
  expect(await program.end('SIGINT')).toBe(0);
  expect(await processesUsing(folder.path)).toBe('');
  await testing;

  answers = true;
  const [first] = received.filter(({ type }) => type === 'message.delivered');
  await startProgram(env);
  await eventually(async () =>
    expect(received.filter(({ type }) => type === 'message.delivered')).toEqual([first, first]),
  );
});
