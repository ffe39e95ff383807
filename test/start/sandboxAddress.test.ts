import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { preparedFolder } from '../support/preparedFolder.ts';
import { buildProgram, killAllPrograms, startProgram } from '../support/program.ts';

vi.setConfig({ testTimeout: 180_000 });

/** As a proxy on this machine says that somebody elsewhere is calling. */
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' };

describe('the address of the sandbox that the program prints', () => {
  let folder: Awaited<ReturnType<typeof preparedFolder>>;
  beforeAll(async () => {
    await buildProgram();
    folder = await preparedFolder();
  });
  afterEach(killAllPrograms);
  afterAll(() => folder.remove());

  const printedKey = (printed: string): string | undefined => /\/sandbox\?key=([\w-]+)/.exec(printed)?.[1];

  test('on another HOST than loopback warns, and prints an address with a key that stays the same', async () => {
    const env = { DATA_DIR: folder.path, HOST: '0.0.0.0' };
    const first = await startProgram(env);
    const key = printedKey(first.printed());
    expect(key).toMatch(/^[\w-]{32}$/);
    expect(first.printed()).toContain('From another machine it needs the key');
    expect((await fetch(`${first.url}/sandbox`)).status).toBe(200);
    expect((await fetch(`${first.url}/sandbox`, { headers: ELSEWHERE })).status).toBe(404);
    const arrived = await fetch(`${first.url}/sandbox?key=${key}`, {
      headers: ELSEWHERE,
      redirect: 'manual',
    });
    expect(arrived.status).toBe(303);
    await first.end();

    // A public name means that a proxy may stand in front and hide who is calling.
    const port = new URL(first.url).port;
    const second = await startProgram({
      ...env,
      HOST: '127.0.0.1',
      PORT: port,
      PUBLIC_URL: 'http://way.example',
    });
    expect(printedKey(second.printed())).toBe(key);
    const here = `http://127.0.0.1:${port}/sandbox/clock`;
    expect((await fetch(here)).status).toBe(404);
    expect((await fetch(here, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  });

  test('on loopback prints no key and does not warn', async () => {
    const program = await startProgram({ DATA_DIR: folder.path });
    expect(printedKey(program.printed())).toBeUndefined();
    expect(program.printed()).toContain(`${program.url}/sandbox   every message sent`);
    expect(program.printed()).not.toContain('From elsewhere');
  });
});
