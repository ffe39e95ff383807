import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../../src/cli/commands.ts';
import { variables } from '../../src/environment/variables.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { STOP_WITHIN_MS } from '../../src/server/signals.ts';
import { configured, fileText, imageVariables, madeSecrets, makeSecrets, variablesOf } from './settings.ts';

/** What compose.yaml says, checked against the program. docs/deploy/compose.md says what was tried beyond that. */

interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  [setting: string]: unknown;
}

const file: { services: Record<string, ComposeService>; secrets: Record<string, { file: string }> } = parse(
  fileText('compose.yaml'),
  { merge: true },
);
const { postgres, ...ours } = file.services;
const OURS = ['migrate', 'api', 'worker'];

const serviceOf = (name: string): ComposeService => {
  const service = file.services[name];
  if (service === undefined) throw new Error(`compose.yaml has no ${name}`);
  return service;
};

/** `${NAME:-value}` is the value, as long as nobody sets NAME. */
const withDefaults = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');

const composeVariables = (name: string, settings: string) => ({
  ...imageVariables(),
  ...variablesOf(settings),
  ...Object.fromEntries(
    Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [key, withDefaults(value)]),
  ),
});

test('there is Postgres, a migration, and one service per role', () => {
  expect(Object.keys(ours)).toEqual(OURS);
  expect(postgres?.image).toBe('postgres:16');
  expect(postgres?.healthcheck).toBeDefined();
  expect(commands.map(({ path }) => path)).toContain(serviceOf('migrate').command?.join(' '));
});

test('both roles wait until the database is migrated, and that until Postgres answers', () => {
  for (const role of ['api', 'worker'])
    expect(serviceOf(role).depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  expect(serviceOf('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
});

describe.each(OURS)('the service %s', (name) => {
  test('cannot write, has no capability, and is not root', () => {
    expect(serviceOf(name)).toMatchObject({
      user: '10001:10001',
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test('has longer to stop than it needs', () => {
    const grace = /^(\d+)s$/.exec(String(serviceOf(name).stop_grace_period))?.[1];
    expect(Number(grace) * SECOND).toBeGreaterThan(STOP_WITHIN_MS);
  });

  test('starts with the made settings, every variable is read, and every secret is there', () => {
    const { folder } = madeSecrets();
    const settings = readFileSync(join(folder, 'waypost.env'), 'utf8');
    const variables = composeVariables(name, settings);
    const { config, unread } = configured(variables, join(folder, 'secrets'));
    expect(unread).toEqual([]);
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      production: true,
      databaseUrl: expect.stringMatching(/^postgresql:\/\/waypost:[0-9a-f]{64}@postgres\/waypost$/),
      roles: { api: name !== 'worker', worker: name !== 'api' },
    });
    const files = Object.entries(variables).filter(([variable]) => variable.endsWith('_FILE'));
    expect(files.map(([, path]) => path)).toEqual(serviceOf(name).secrets?.map((s) => `/run/secrets/${s}`));
  });
});

test('the API is published on this machine only, from the port on which the image listens', () => {
  const { PORT } = imageVariables();
  expect(serviceOf('api').ports?.map(withDefaults)).toEqual([`127.0.0.1:8080:${PORT}`]);
  expect(fileText('Dockerfile')).toContain(`\nEXPOSE ${PORT}\n`);
  expect(OURS.filter((name) => name !== 'api' && serviceOf(name).ports !== undefined)).toEqual([]);
});

describe('deploy/make-secrets', () => {
  test('makes every secret that compose.yaml names, in a folder that only the owner enters', () => {
    const { folder } = madeSecrets();
    const named = Object.values(file.secrets).map(({ file: path }) => path.replace('./secrets/', ''));
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(named.sort());
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    for (const name of named) expect(statSync(join(folder, 'secrets', name)).mode & 0o777).toBe(0o444);
    expect(statSync(join(folder, 'waypost.env')).mode & 0o777).toBe(0o600);
  });

  test('never replaces what is there', () => {
    const { folder } = madeSecrets();
    const everything = (): string =>
      execFileSync('sh', ['-c', 'cat secrets/* waypost.env'], { cwd: folder }).toString();
    const before = everything();
    expect(makeSecrets(folder).match(/is there already\./g)).toHaveLength(5);
    expect(everything()).toBe(before);
  });

  test('does not invent another password for a database that has one', () => {
    const { folder } = madeSecrets();
    rmSync(join(folder, 'secrets/postgres_password'));
    expect(() => makeSecrets(folder)).toThrow(/restore it, or remove both/);
    expect(existsSync(join(folder, 'secrets/postgres_password'))).toBe(false);
  });
});

test('every variable that the example of settings names, also in a comment, is one that Waypost reads', () => {
  const names = [...fileText('deploy/waypost.env.example').matchAll(/^(?:# )?([A-Z][A-Z_]+)=/gm)].map(
    ([, name]) => name,
  );
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name = '') => !Object.hasOwn(variables, name))).toEqual([]);
});
