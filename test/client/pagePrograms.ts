import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { signWebhook } from '../../clients/typescript/src/index.ts';
import { freePort } from '../support/freePort.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { clientOf } from './clientOf.ts';

/** The page of a language in docs/clients, whose programs `push`, `receive` and `follow` lie in a folder with the client installed. */
interface Page {
  service(): TestService;
  folder(): string;
  env(): Record<string, string>;
  /** What runs a program; the receiver listens on this port. */
  command(program: string, port: string): [program: string, ...args: string[]];
}

const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
const run = promisify(execFile);

export function testPagePrograms({ service, folder, env, command }: Page): void {
  const options = (shop: Shop, port = '') => ({
    cwd: folder(),
    env: {
      PATH: process.env.PATH,
      HOME: folder(),
      TMPDIR: folder(),
      WAYPOST_BASE_URL: shop.url,
      WAYPOST_API_KEY: shop.apiKey,
      WAYPOST_WEBHOOK_SECRET: SECRET,
      PORT: port,
      ...env(),
    },
  });

  /** The lines that a program prints, as they come. */
  function started(name: string, shop: Shop, port = ''): { lines: string[]; stop(): Promise<unknown> } {
    const lines: string[] = [];
    const [program, ...args] = command(name, port);
    const child = spawn(program, args, { ...options(shop, port), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => lines.push(line));
    const ended = once(child, 'exit');
    const stop = () => {
      child.kill();
      return ended;
    };
    onTestFinished(async () => void (await stop()));
    return { lines, stop };
  }

  test('the push of the page is stored once, however often it runs', async () => {
    const shop = await service().business();
    const [program, ...args] = command('push', '');
    const push = async () => (await run(program, args, options(shop))).stdout.trim();
    const ids = [await push(), await push()];
    const listed = [];
    for await (const { id } of clientOf(shop).messages.list()) listed.push(id);
    expect([...listed, ...listed]).toEqual(ids);
  });

  test('the receiver of the page believes what is signed, once each, and nothing else', async () => {
    const shop = await service().business();
    const port = await freePort();
    const { lines } = started('receive', shop, String(port));
    const post = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body })).status;
    const event = (id: string) =>
      JSON.stringify({ id, type: 'ping', occurred_at: '2026-08-20T09:15:00Z', data: { endpoint_id: 'õ' } });
    const signed = async (id: string) => post(event(id), await signWebhook(event(id), SECRET));
    await eventually(async () => expect(await post('{}', {})).toBe(400));
    expect(await post(`${event('e1')} `, await signWebhook(event('e1'), SECRET))).toBe(400);
    expect([await signed('e1'), await signed('e1'), await signed('e2')]).toEqual([204, 204, 204]);
    // Beside them a server may print a line for each request.
    const handled = () => lines.flatMap((line) => /ping \w+$/.exec(line) ?? []);
    await eventually(async () => expect(handled()).toContain('ping e2'));
    expect(handled()).toEqual(['ping e1', 'ping e2']);
  });

  test('the follower of the page goes on where it stopped', async () => {
    const shop = await service().business();
    await shop.pushed({ recipient_email: 'ann@example.com' });
    await service().advance({ seconds: 5 });
    const expected = async (): Promise<string[]> => {
      const { items } = await clientOf(shop).events.page({ limit: 1_000 });
      return items.map(({ type, id }) => `${type} ${id}`);
    };
    const before = await expected();
    const first = started('follow', shop);
    await eventually(async () => expect(first.lines).toEqual(before));
    await eventually(async () => expect(await readFile(join(folder(), 'cursor'), 'utf8')).not.toBe(''));
    await first.stop();
    const second = started('follow', shop);
    await shop.pushed({ recipient_email: 'bob@example.com' });
    await service().advance({ seconds: 5 });
    const after = await expected();
    await eventually(async () => expect(second.lines).toEqual(after.slice(before.length)));
  });
}
