import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { standardHeaders, webhookKey } from '../../src/kit/standardWebhooks.ts';
import { openConsole } from '../cli/console.ts';
import { httpSmsEnv, PROVIDER_SECRETS, SHARED_ENV } from '../support/providerEnvironments.ts';
import { eventually } from '../support/waiting.ts';
import { PUSH_ON_CHANNEL, sendWhen, startProviderService } from './providerService.ts';

/** The receiver of the documentation, as its reader starts it: a process of its own. */
async function startExample() {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../docs/providers/http-example.mjs', import.meta.url))],
    {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        HTTP_PROVIDER_SECRET: PROVIDER_SECRETS.http,
        HTTP_PROVIDER_CALLBACK_SECRET: PROVIDER_SECRETS.httpCallback,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill());
  const printed: string[] = [];
  child.stdout.on('data', (text: Buffer) => printed.push(...text.toString().trim().split('\n')));
  const port = await eventually(() => {
    const [, found] = /^listening on port (\d+)$/.exec(printed[0] ?? '') ?? [];
    if (found === undefined) throw new Error('it does not listen yet');
    return found;
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    /** The messages that it would have sent. */
    sent: () => printed.filter((line) => line.startsWith('sms ')),
    type: (line: string) => child.stdin.write(`${line}\n`),
  };
}

const SECRET: string = PROVIDER_SECRETS.http;
const MESSAGE = JSON.stringify({
  v: 1,
  channel: 'sms',
  to: '+447700900123',
  callback: 'http://127.0.0.1:9/callbacks/http',
  from: SHARED_ENV.sms,
  text: 'hi',
});

/** A request as Waypost makes it, so long ago. */
function post(url: string, id: string, { secret = SECRET, ageSeconds = 0, body = MESSAGE } = {}) {
  const signedAt = Math.floor(Date.now() / 1_000) - ageSeconds;
  const headers = standardHeaders([webhookKey(secret)], id, signedAt, MESSAGE);
  return fetch(url, { method: 'POST', headers, body });
}

test('a text goes out through the example, its status comes back, and so does STOP', async () => {
  const example = await startExample();
  const service = await startProviderService(httpSmsEnv(example.url));
  const shop = await service.business({ credits: 5 });
  const push = async () => shop.pushed(PUSH_ON_CHANNEL.sms);

  const { id } = await push();
  await sendWhen(service, id, 'sms', { state: 'delivered' });
  expect(example.sent()).toEqual([
    expect.stringMatching(/^sms from \+447700900900 to \+447700900123: .+\/i\//),
  ]);

  example.type('+447700900123 STOP');
  await eventually(async () => expect((await push()).sms?.skipped_reason).toBe('stopped'));
});

test('the example takes what we sign, once, and nothing else', async () => {
  const { url, sent } = await startExample();
  const id = `sms_a-b_${Date.now() % 1_000}`;

  expect((await post(url, id, { secret: PROVIDER_SECRETS.httpCallback })).status).toBe(401);
  expect((await post(url, id, { body: MESSAGE.replace('hi', 'ho') })).status).toBe(401);
  expect((await post(url, id, { ageSeconds: 310 })).status).toBe(401);
  expect((await post(url, id, { ageSeconds: -310 })).status).toBe(401);
  expect((await fetch(url, { method: 'POST', body: MESSAGE })).status).toBe(401);
  expect(sent()).toEqual([]);

  const first = await post(url, id, { ageSeconds: 200 });
  const answer = await first.text();
  expect([first.status, JSON.parse(answer)]).toEqual([202, { status: 'accepted', id: expect.any(String) }]);
  const again = await post(url, id);
  expect([again.status, await again.text()]).toEqual([202, answer]);
  expect((await post(url, randomUUID())).status).toBe(202);
  await eventually(() => expect(sent()).toHaveLength(2));
});

test('the check finds that both sides have the same secret', async () => {
  const { url, sent } = await startExample();
  const found = async (env: Record<string, string>) =>
    (await openConsole('postgresql://nobody@127.0.0.1:1/nothing', env).run('check')).out;
  const { host } = new URL(url);
  expect(await found(httpSmsEnv(url))).toContain(`The receiver at ${host} knows the secret.`);
  const wrong = { ...httpSmsEnv(url), HTTP_PROVIDER_SECRET: `whsec_${'A'.repeat(32)}` };
  expect(await found(wrong)).toContain(
    'The receiver refuses the credentials (401): check HTTP_PROVIDER_SECRET.',
  );
  expect(sent()).toEqual([]);
});
