import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openConsole } from '../cli/console.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { freePort } from '../support/freePort.ts';
import { buildProgram, killAllPrograms, launchProgram, startProgram } from '../support/program.ts';
import { smtpEnv } from '../support/providerEnvironments.ts';

let database: TestDatabase;
let production: Record<string, string>;
beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
  production = {
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    // Nobody answers there; nothing is sent.
    ...smtpEnv(1),
  };
});
afterAll(async () => {
  await killAllPrograms();
  await database.drop();
});
vi.setConfig({ testTimeout: 120_000 });

/** What `check` found of the configuration, as `state: sentence`. */
async function checked(env: Record<string, string>): Promise<string[]> {
  const { out } = await openConsole(database.url, env).run('check', '--json');
  const { findings }: { findings: { part: string; state: string; says: string }[] } = JSON.parse(out);
  return findings
    .filter(({ part }) => part === 'configuration')
    .map(({ state, says }) => `${state}: ${says}`);
}

test.each([
  [{}, /^PUBLIC_URL is not set: .*\.$/],
  [{ PUBLIC_URL: 'http://localhost:8080' }, /^PUBLIC_URL is "http:\/\/localhost:8080", which leads .*\.$/],
])(
  'mail with links to localhost is not sent in production: with %j nothing starts, and check says why',
  async (env, sentence) => {
    const program = launchProgram({ ...production, ...env });
    await program.ended;
    expect(program.child.exitCode).toBe(1);
    expect(program.printed().trim()).toMatch(sentence);
    expect(await checked({ ...production, ...env })).toEqual([`wrong: ${program.printed().trim()}`]);
  },
);

test('an address without TLS is warned of at the start, in /readyz and by check', async () => {
  const port = String(await freePort());
  const env = { ...production, PORT: port, PUBLIC_URL: 'http://updates.example.com' };
  const warning = 'PUBLIC_URL is http: the links that sign people in travel unencrypted.';
  const program = await startProgram(env);
  expect(program.printed()).toContain(warning);
  const { warnings } = Object(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json());
  expect(warnings).toContain(warning);
  expect(await checked(env)).toContain(`warning: ${warning}`);
});
