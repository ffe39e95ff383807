import { expect, test, vi } from 'vitest';
import { hasProgram } from '../client/installedClient.ts';
import { php } from '../client/languages.ts';
import { eventually } from '../support/waiting.ts';
import { arrive, startWaypost } from './newcomer.ts';

/** It packs, installs and builds. */
vi.setConfig({ testTimeout: 300_000 });

test('a newcomer comes from a fresh clone to a verified webhook by the page for PHP', async ({ skip }) => {
  skip(!php.isThere, php.missing);
  skip(!hasProgram('composer'), 'Composer is not on this machine');
  const newcomer = await arrive();
  await startWaypost(newcomer);
  const quickstart = await newcomer.read('docs/quickstart.md');
  const page = await newcomer.read('docs/clients/php.md');
  const shop = newcomer.terminal();
  await shop.run(quickstart.commands('export WAYPOST_API_KEY'));
  await shop.run(page.commands('npm run pack -- php'));
  await page.writeFiles(shop);

  const pushed = await shop.run(page.commands('php push.php'));
  expect(pushed).toMatch(/^\w+\n$/);
  expect(await shop.run(page.commands('php push.php'))).toBe(pushed);

  const created = await shop.run(page.commands('php endpoint.php'));
  const [, secret = ''] = /^created \w+\. Its secret, shown only now: (whsec_\w+)\n$/.exec(created) ?? [];
  newcomer.knows.set('whsec_…', secret);
  expect(await shop.run(page.commands('php endpoint.php'))).toBe(
    'the ping did not arrive: connection refused\n',
  );
  const receiver = shop.start(page.commands('php -S'));
  await eventually(async () =>
    expect(await shop.run(page.commands('php endpoint.php'))).toBe('the ping arrived\n'),
  );
  await eventually(() => expect(receiver.printed()).toMatch(/ping ping\w+$/m));

  const follower = shop.start(page.commands('php follow.php'));
  await eventually(() => expect(follower.printed()).toMatch(/^message\.delivered \w+$/m));
});
