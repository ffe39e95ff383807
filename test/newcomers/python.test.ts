import { expect, test, vi } from 'vitest';
import { hasPython, noPython } from '../client/pythonClient.ts';
import { eventually } from '../support/waiting.ts';
import { arrive, startWaypost } from './newcomer.ts';

/** It packs, installs and builds. */
vi.setConfig({ testTimeout: 300_000 });

test('a newcomer comes from a fresh clone to a verified webhook by the page for Python', async ({ skip }) => {
  skip(!hasPython, noPython);
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
