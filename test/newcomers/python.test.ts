import { spawnSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { python } from '../client/languages.ts';
import { eventually } from '../support/waiting.ts';
import { arrive, startWaypost } from './newcomer.ts';

/** Debian has it in a package of its own. */
const hasVenv = spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;

/** It packs, installs and builds. */
vi.setConfig({ testTimeout: 300_000 });

test('a newcomer comes from a fresh clone to a verified webhook by the page for Python', async ({ skip }) => {
  skip(!python.isThere, python.missing);
  skip(!hasVenv, 'Python’s ensurepip, which a new environment needs, is not on this machine');
  const newcomer = await arrive();
  await startWaypost(newcomer);
  const quickstart = await newcomer.read('docs/quickstart.md');
  const page = await newcomer.read('docs/clients/python.md');
  const shop = newcomer.terminal();
  await shop.run(quickstart.commands('export WAYPOST_API_KEY'));
  await shop.run(page.commands('npm run pack -- python'));
  await page.writeFiles(shop);

  const pushed = await shop.run(page.commands('python push.py'));
  expect(pushed).toMatch(/^\w+\n$/);
  expect(await shop.run(page.commands('python push.py'))).toBe(pushed);

  const created = await shop.run(page.commands('python endpoint.py'));
  const [, secret = ''] = /^created \w+\. Its secret, shown only now: (whsec_\w+)\n$/.exec(created) ?? [];
  newcomer.knows.set('whsec_…', secret);
  expect(await shop.run(page.commands('python endpoint.py'))).toBe(
    'the ping did not arrive: connection refused\n',
  );
  const receiver = shop.start(page.commands('python receive.py'));
  await eventually(async () =>
    expect(await shop.run(page.commands('python endpoint.py'))).toBe('the ping arrived\n'),
  );
  expect(receiver.printed()).toMatch(/^ping ping\w+$/m);

  const follower = shop.start(page.commands('python follow.py'));
  await eventually(() => expect(follower.printed()).toMatch(/^message\.delivered \w+$/m));
});
