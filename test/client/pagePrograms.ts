import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
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
  /** What the receiver does with an event, and what fails in its place. */
  failing?: readonly [work: string, failure: string];
}

const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
const run = promisify(execFile);

export function testPagePrograms({ service, folder, env, command, failing }: Page): void {
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

  /** Starts a receiver, and waits for it. What this returns posts an event to it, signed, or with these headers. */
  async function receiving(name: string) {
    const shop = await service().business();
    const port = await freePort();
    const { lines } = started(name, shop, String(port));
    const post = async (id: string, headers?: Record<string, string>, rest = ''): Promise<number> => {
      const data = { endpoint_id: 'õ' };
      const body = JSON.stringify({ id, type: 'ping', occurred_at: '2026-08-20T09:15:00Z', data });
      const sent = { headers: headers ?? (await signWebhook(body, SECRET)), body: body + rest };
      return (await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', ...sent })).status;
    };
    await eventually(async () => expect(await post('e0', {})).toBe(400));
    return { lines, post };
  }

  test('the receiver of the page believes what is signed, once each, and nothing else', async () => {
    const { lines, post } = await receiving('receive');
    expect(await post('e1', undefined, ' ')).toBe(400);
    expect([await post('e1'), await post('e1'), await post('e2')]).toEqual([204, 204, 204]);
    // Beside them a server may print a line for each request.
    const handled = () => lines.flatMap((line) => /ping \w+$/.exec(line) ?? []);
    await eventually(async () => expect(handled()).toContain('ping e2'));
    expect(handled()).toEqual(['ping e1', 'ping e2']);
  });

  if (failing !== undefined)
    test('a receiver whose own work fails answers 500, so that the event comes again and is worked on again', async () => {
      const [file = '', other = ''] = ['receive', 'failing'].map((name) => command(name, '').at(-1));
      const page = await readFile(join(folder(), file), 'utf8');
      expect(page).toContain(failing[0]);
      await writeFile(join(folder(), other), page.replace(...failing));
      const { post } = await receiving('failing');
      expect([await post('e3'), await post('e3')]).toEqual([500, 500]);
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
