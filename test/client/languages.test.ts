import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newSecret, sign, signingKeys } from '../../src/webhooks/signature.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { clientOf } from './clientOf.ts';
import { type ServerFault, serverFaults, startFaultyServer } from './faultyServer.ts';
import { hasProgram } from './installedClient.ts';
import { copyFilesOfPage } from './pageFiles.ts';

/** The pages of languages without a client: what a reader copies from them, run. */
const languages = [
  {
    name: 'PHP',
    page: 'docs/clients/php.md',
    program: 'php',
    push: `<?php
require 'waypost_push.php';
try {
    echo waypost_push(json_decode($argv[1], true), $argv[2], (float) $argv[3], (float) $argv[4])['id'], "\\n";
} catch (WaypostError $error) {
    echo $error->status, ' ', $error->errorCode, "\\n";
}
`,
    verify: `<?php
require 'waypost_verify.php';
try {
    echo waypost_verify(file_get_contents($argv[1]), $argv[2], array_slice($argv, 3))['type'], "\\n";
} catch (UnexpectedValueException $error) {
    echo $error->getMessage(), "\\n";
}
`,
  },
];

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe.each(languages)('$name', ({ name, page, program, push: pushCode, verify: verifyCode }) => {
  const isThere = hasProgram(program);
  const why = `${name} is not on this machine`;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waypost-language-'));
    await copyFilesOfPage(page, folder);
    await writeFile(join(folder, 'push'), pushCode);
    await writeFile(join(folder, 'verify'), verifyCode);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(err).toBe('');
    return out.trim();
  }

  const push = (
    url: string,
    { apiKey }: Shop,
    message: object,
    key = 'order-1001',
    { seconds, attemptSeconds } = { seconds: 30, attemptSeconds: 0.4 },
  ) =>
    run(['push', JSON.stringify(message), key, String(seconds), String(attemptSeconds)], {
      WAYPOST_BASE_URL: url,
      WAYPOST_API_KEY: apiKey,
    });
  const ORDER = { recipient_email: 'ann@example.com', subject: 'Õie order 🎁', body: 'It has shipped.' };
  const stored = async (shop: Shop): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of clientOf(shop).messages.list()) ids.push(id);
    return ids;
  };

  test('a push is stored once, whatever fails on its way', async ({ skip }) => {
    skip(!isThere, why);
    const shop = await service.business();
    const behind = async (fault: ServerFault): Promise<string> => {
      let left = 2;
      const faulty = await startFaultyServer({
        target: service.url,
        nextFault: () => (left-- > 0 ? fault : null),
        retryAfter: '0',
      });
      onTestFinished(() => faulty.close());
      const id = await push(faulty.url, shop, ORDER, fault);
      // More on a machine so busy that an attempt times out.
      expect(faulty.requests.map((request) => request.fault).slice(0, 3)).toEqual([fault, fault, null]);
      return id;
    };
    const ids = await Promise.all(serverFaults.map(behind));
    expect(await stored(shop)).toHaveLength(serverFaults.length);
    expect((await stored(shop)).sort()).toEqual([...ids].sort());
    const [id = ''] = ids;
    expect(await clientOf(shop).messages.get(id)).toMatchObject({ subject: ORDER.subject });
    expect(await push(service.url, shop, ORDER, serverFaults[0])).toBe(id);
  });

  test('it waits for as long as the server asks', async ({ skip }) => {
    skip(!isThere, why);
    const shop = await service.business();
    const faults: ServerFault[] = ['429'];
    const faulty = await startFaultyServer({ target: service.url, nextFault: () => faults.shift() ?? null });
    onTestFinished(() => faulty.close());
    const began = performance.now();
    expect(await stored(shop)).toEqual([]);
    const id = await push(faulty.url, shop, ORDER);
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(await stored(shop)).toEqual([id]);
  });

  test('a refusal is told at once, and a failure at the deadline', async ({ skip }) => {
    skip(!isThere, why);
    const shop = await service.business();
    expect(await push(service.url, shop, { ...ORDER, subject: '' })).toBe('422 common.validation_failed');
    const faulty = await startFaultyServer({ target: service.url, nextFault: () => '500' });
    onTestFinished(() => faulty.close());
    expect(await push(faulty.url, shop, ORDER, 'other', { seconds: 1, attemptSeconds: 5 })).toBe(
      '500 common.internal',
    );
    expect(faulty.requests.length).toBeGreaterThan(1);
  });

  test('the verifier believes what we sign, and nothing else', async ({ skip }) => {
    skip(!isThere, why);
    const [secret, other] = [newSecret(), newSecret()];
    const body =
      '{"data":{"reference":"Õie 🎁"},"id":"e1","occurred_at":"2026-08-20T09:15:00.000Z","type":"ping"}';
    await writeFile(join(folder, 'body'), body);
    const seconds = Math.floor(Date.now() / 1000);
    const signed = (ago = 0, over = body) => sign(signingKeys(secret), seconds - ago, over);
    const verdict = (signature: string, ...secrets: string[]) =>
      run(['verify', 'body', signature, ...secrets]);
    expect(await verdict(signed(), secret)).toBe('ping');
    expect(await verdict(signed(280), other, secret)).toBe('ping');
    expect(await verdict(signed(), other)).toBe('the signature does not fit');
    expect(await verdict(signed(0, `${body} `), secret)).toBe('the signature does not fit');
    expect(await verdict(signed(320), secret)).toBe('the signature is too old, or the clocks differ');
    expect(await verdict('', secret)).toBe('the header X-Service-Signature is missing or malformed');
    expect(await verdict(`${signed()},v0=x`, secret)).toBe(
      'the header X-Service-Signature is missing or malformed',
    );
  });
});
