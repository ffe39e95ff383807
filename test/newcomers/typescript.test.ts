import { expect, test, vi } from 'vitest';
import { eventually } from '../support/waiting.ts';
import { arrive, startWaypost } from './newcomer.ts';

/** It packs, installs and builds. */
vi.setConfig({ testTimeout: 300_000 });

test('a newcomer comes from a fresh clone to a verified webhook by the quickstart, in JavaScript', async () => {
  const newcomer = await arrive();
  const { knows } = newcomer;
  await startWaypost(newcomer);
  const page = await newcomer.read('docs/quickstart.md');
  const shop = newcomer.terminal();
  await shop.run(page.commands('export WAYPOST_API_KEY'));
  await shop.run(page.commands('npm run pack -- client'));
  await page.writeFiles(shop);

  const pushed = await shop.run(page.commands('node push.mjs'));
  expect(pushed).toMatch(/^\w+ \{ sending: true, skipped_reason: null \}\n$/);
  expect(await shop.run(page.commands('node push.mjs'))).toBe(pushed);

  const first = shop.start(page.commands('WAYPOST_WEBHOOK_SECRET=whsec_of_my_own_machine'));
  await eventually(() => expect(first.printed()).toBe('listening\n'));
  const listening = shop.start(page.commands('listen --forward-to'));
  // Which of the two comes first, chance decides.
  const received = ['', `delivered ${pushed.split(' ')[0]}`, 'listening', 'order.updated'];
  await eventually(() => expect(first.printed().split('\n').sort()).toEqual(received));
  await eventually(() =>
    expect(listening.printed()).toMatch(
      /^Forwarding events to \S+\nVerify them with the secret whsec_of_my_own_machine\nReplaying the last 2\.\n(?:\S+ {2}(?:order\.updated {4}|message\.delivered) {9}\w+ {2}204 {2}\d+ ms\n){2}Waiting/,
    ),
  );
  await listening.interrupt();

  const created = await shop.run(page.commands('node endpoint.mjs'));
  const [, id, secret = ''] =
    /^created (\w+)\. Its secret, shown only now: (whsec_\w+)\n$/.exec(created) ?? [];
  expect(await shop.run(page.commands('node endpoint.mjs'))).toBe(
    `${id}: the ping did not arrive: answered 400\n`,
  );
  await first.interrupt();
  knows.set('whsec_…', secret);
  const second = shop.start(page.commands('WAYPOST_WEBHOOK_SECRET=whsec_…'));
  await eventually(() => expect(second.printed()).toBe('listening\n'));
  expect(await shop.run(page.commands('node endpoint.mjs'))).toBe(`${id}: the ping arrived\n`);
  expect(second.printed()).toBe('listening\nping\n');

  const opened = await fetch(`${newcomer.url}/sandbox/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message_id: pushed.split(' ')[0] }),
  });
  expect(opened.status).toBe(200);
  await eventually(() => expect(second.printed()).toBe('listening\nping\nmessage.opened\n'));
});
