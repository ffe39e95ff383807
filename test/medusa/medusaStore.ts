import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/freePort.ts';
import { eventually } from '../support/waiting.ts';

const run = promisify(execFile);

export const MEDUSA_VERSION = '2.21.2';
/** What it asks for of these was not all on npm. */
const OVERRIDES = { '@aws-sdk/lib-storage': '3.1162.0', '@aws-sdk/client-s3': '3.1162.0' };
export const ADMIN = { email: 'admin@shop.example', password: 'a-password-for-tests' };
const OUTPUT_MAX = 64 * 1024 * 1024;

export interface StoreSettings {
  /** Where it is installed, and started from. What is installed there already is kept. */
  folder: string;
  databaseUrl: string;
  /** Tarballs of the plugin and of what it needs of ours. */
  packages: readonly string[];
  /** Of medusa-config. */
  plugins: readonly object[];
  notificationProviders: readonly object[];
}

export interface MedusaStore {
  url: string;
  /** Everything that it has printed. */
  printed(): string;
  stop(): Promise<void>;
}

/** A Medusa from npm, migrated, with one user, and listening. */
export async function startMedusa(settings: StoreSettings): Promise<MedusaStore> {
  const { folder } = settings;
  await install(folder, settings.packages);
  await configure(folder, settings);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    PORT: String(await freePort()),
  };
  const medusa = join(folder, 'node_modules', '.bin', 'medusa');
  const command = (...args: string[]) => run(medusa, args, { cwd: folder, env, maxBuffer: OUTPUT_MAX });
  await command('db:migrate');
  await command('user', '-e', ADMIN.email, '-p', ADMIN.password);
  const server = spawn(medusa, ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (text: Buffer) => {
      printed += text.toString();
    });
  const url = `http://127.0.0.1:${env.PORT}`;
  await eventually(async () => {
    if (server.exitCode !== null) return;
    const { status } = await fetch(`${url}/health`);
    if (status !== 200) throw new Error(`Medusa answers ${status}`);
  });
  if (server.exitCode !== null) throw new Error(`Medusa did not start:\n${printed}`);
  return {
    url,
    printed: () => printed,
    stop: () => end(server),
  };
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const npm = (...args: string[]) =>
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...args], {
      cwd: folder,
      maxBuffer: OUTPUT_MAX,
    });
  if (!existsSync(join(folder, 'node_modules', '@medusajs', 'medusa'))) {
    const dependencies = Object.fromEntries(
      ['@medusajs/medusa', '@medusajs/framework', '@medusajs/cli'].map((name) => [name, MEDUSA_VERSION]),
    );
    const manifest = { name: 'shop', private: true, dependencies, overrides: OVERRIDES };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await npm();
  }
  // Packed anew with the same version: npm would keep what it has.
  for (const name of ['medusa', 'client'])
    await rm(join(folder, 'node_modules', '@waypost', name), { recursive: true, force: true });
  await npm('--no-save', ...packages);
}

async function configure(folder: string, settings: StoreSettings): Promise<void> {
  const { databaseUrl, plugins, notificationProviders } = settings;
  const config = {
    projectConfig: {
      databaseUrl,
      databaseDriverOptions: { ssl: false, sslmode: 'disable' },
      http: {
        storeCors: 'http://localhost',
        adminCors: 'http://localhost',
        authCors: 'http://localhost',
        jwtSecret: 'a-secret-for-tests',
        cookieSecret: 'a-secret-for-tests',
      },
    },
    admin: { disable: true },
    plugins,
    modules: [{ resolve: '@medusajs/medusa/notification', options: { providers: notificationProviders } }],
  };
  await writeFile(
    join(folder, 'medusa-config.js'),
    `const { defineConfig } = require('@medusajs/framework/utils');\nmodule.exports = defineConfig(${JSON.stringify(config, null, 2)});\n`,
  );
  // What a shop's own workflow does: it asks Medusa to send a notification.
  const route = join(folder, 'src', 'api', 'store', 'notify');
  await mkdir(route, { recursive: true });
  await writeFile(join(route, 'route.js'), NOTIFY_ROUTE);
}

const NOTIFY_ROUTE = `
exports.POST = async (request, response) => {
  try {
    response.json(await request.scope.resolve('notification').createNotifications(request.body));
  } catch (error) {
    response.status(422).json({ message: error.message });
  }
};
`;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
