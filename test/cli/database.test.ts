import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { clusterUrl } from '../support/sharedResources.ts';
import { CLI_SECRET_KEY, openConsole } from './console.ts';

const name = `waypost_empty_${randomBytes(6).toString('hex')}`;
let url: string;
beforeAll(async () => {
  await runStatements(await clusterUrl(), `CREATE DATABASE ${name}`);
  url = databaseUrl(await clusterUrl(), name);
});
afterAll(async () => runStatements(await clusterUrl(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));

test('a shared database is migrated when its operator says so, and not before', async () => {
  const cli = openConsole(url);
  const sentence = 'The schema of the database is not up to date: run the command migrate first.';
  expect(await cli.mistake('business', 'list')).toBe(sentence);
  expect(await cli.mistake('business', 'create', '--name', 'Shop')).toBe(sentence);
  const { applied } = await cli.json('migrate');
  expect(applied).toContain('0001_installation');
  expect(await cli.json('migrate')).toEqual({ applied: [] });
  expect(await cli.text('migrate')).toBe('The database is up to date.\n');
  expect(await cli.text('business', 'list')).toBe('There are no businesses yet.\n');
});

test('a database that is not there, or refuses us, is one sentence without the password', async () => {
  const gone = databaseUrl(url, 'waypost_no_such_database');
  expect(await openConsole(gone).mistake('business', 'list')).toMatch(/waypost_no_such_database/);
  const secret = 'hunter2hunter2';
  const stranger = `postgresql://stranger:${secret}@127.0.0.1:1/x`;
  expect(await openConsole(stranger).mistake('business', 'list')).not.toContain(secret);
});

test.each([
  [{ DATABASE_URL: 'mysql://x', SECRET_KEY: CLI_SECRET_KEY }, /^DATABASE_URL must be/],
  [{ DATABASE_URL: 'postgresql://127.0.0.1/x' }, /^SECRET_KEY must be set when DATABASE_URL is/],
  [{ PORT: 'eighty' }, /^PORT must be/],
])('a malformed environment (%j) is one sentence that names the variable', async (env, sentence) => {
  let err = '';
  const terminal = { out: () => {}, err: (text: string) => (err += text), input: async function* () {} };
  expect(await runCli(['business', 'list'], env, terminal)).toBe(1);
  expect(err).toMatch(sentence);
  expect(err.trimEnd()).not.toContain('\n');
});
