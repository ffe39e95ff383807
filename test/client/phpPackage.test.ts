import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/webhooks/signature.ts';
import { composerIn } from '../support/composer.ts';
import { freshClone } from '../support/freshClone.ts';
import { startService, type TestService } from '../support/service.ts';
import { hasProgram } from './installedClient.ts';
import { php } from './languages.ts';
import { copyFilesOfPage } from './pageFiles.ts';
import { testPagePrograms } from './pagePrograms.ts';
import { headersOf, SECRET } from './webhookCases.ts';

/** What a user of the PHP client installs, as its page says, and the programs of the page, run against the service. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/clients/php.md';
const run = promisify(execFile);
const RECEIVERS = join(ROOT, 'test', 'client', 'php', 'receivers.php');
const isThere = php.isThere && hasProgram('composer');
const FRAMEWORKS =
  "require 'Illuminate/Http/autoload.php'; require 'Illuminate/Cache/autoload.php'; new PDO('sqlite::memory:');";
const hasFrameworks = spawnSync('php', ['-r', FRAMEWORKS]).status === 0;

let service: TestService;
let folder: string;
let shopFolder: string;
let packed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-php-'));
  service = await startService();
  if (!isThere) return;
  const clone = join(folder, 'waypost');
  shopFolder = join(folder, 'shop');
  await freshClone(clone);
  const page = await readFile(join(ROOT, PAGE), 'utf8');
  const [, install = ''] = /```sh\n(.*?)```/s.exec(page) ?? [];
  const env = { ...process.env, HOME: folder, ...(await composerIn(folder)) };
  packed = (await run('sh', ['-ec', install], { cwd: clone, env })).stdout;
  await copyFilesOfPage(PAGE, shopFolder);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!isThere)(`the packed PHP client (skipped where ${php.missing}, or Composer is not)`, () => {
  test('Composer installs it as the page says, with nothing from a network', async () => {
    const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(packed).toContain(`/waypost-php-${version}.tgz\n`);
    const installed = join(shopFolder, 'vendor', 'waypost', 'waypost');
    expect((await readdir(installed)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'composer.json',
      'examples',
      'src',
    ]);
    const code =
      "require 'vendor/autoload.php'; echo Composer\\InstalledVersions::getPrettyVersion('waypost/waypost');";
    const { stdout } = await run('php', ['-r', code], { cwd: shopFolder });
    expect(stdout).toBe(version);
  });

  testPagePrograms({
    service: () => service,
    folder: () => shopFolder,
    env: () => ({}),
    // With errors displayed, as on a developer's machine: PHP would then answer 200 after a failure.
    command: (program, port) =>
      port === ''
        ? ['php', `${program}.php`]
        : ['php', '-d', 'display_errors=1', '-S', `127.0.0.1:${port}`, `${program}.php`],
    failing: ['error_log("', 'throw new RuntimeException("'],
  });

  test('the receivers of its examples for Laravel, Symfony and a database answer as they should', ({
    skip,
  }) => {
    skip(!hasFrameworks, 'the requests of Laravel, its cache and SQLite for PHP are not on this machine');
    const data = { message_id: 'm1', recipient_email: 'ann@example.com', reason: 'õ' };
    const body = canonicalJson({
      id: 'e1',
      type: 'message.bounced',
      occurred_at: '2026-08-20T09:15:00Z',
      data,
    });
    const headers = headersOf(body, SECRET, Math.floor(Date.now() / 1000));
    const { stdout, stderr } = spawnSync('php', [RECEIVERS, shopFolder, SECRET], {
      input: JSON.stringify({ body, headers }),
      encoding: 'utf8',
    });
    const answered = [[204, 204, 400], ['bounced m1']];
    expect([stdout, stderr]).toEqual([
      JSON.stringify([answered, answered, 'the work failed', [true, false]]),
      '',
    ]);
  });
});
