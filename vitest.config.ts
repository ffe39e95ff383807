import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Unit tests need neither Postgres nor a browser: the files in these folders, and these files. A test of theirs
 * (test/structure/unitTests.test.ts) fails when a file is on the wrong side.
 */
export const UNIT_FOLDERS = ['src/', 'clients/', 'connectors/', 'test/chaos/', 'test/mutants/'];
export const UNIT_FILES = [
  'test/bench/openLoop.test.ts',
  'test/bench/report.test.ts',
  'test/bench/slices.test.ts',
  'test/client/exchanges.test.ts',
  'test/client/options.test.ts',
  'test/client/phpUnit.test.ts',
  'test/client/pythonUnit.test.ts',
  'test/client/transport.test.ts',
  'test/client/verifiers.test.ts',
  'test/client/verify.test.ts',
  'test/db/migrations.test.ts',
  'test/deploy/compose.test.ts',
  'test/deploy/kubernetes.test.ts',
  'test/deploy/systemd.test.ts',
  'test/docs/configuration.test.ts',
  'test/docs/connections.test.ts',
  'test/docs/links.test.ts',
  'test/erasure/traces.test.ts',
  'test/providers/conformance.test.ts',
  'test/providers/docs.test.ts',
  'test/providers/http.test.ts',
  'test/providers/outcomes.test.ts',
  'test/security/dependencies.test.ts',
  'test/security/patterns.test.ts',
  'test/structure/client.test.ts',
  'test/structure/connector.test.ts',
  'test/structure/imports.test.ts',
  'test/structure/names.test.ts',
  'test/structure/unitTests.test.ts',
  'test/structure/views.test.ts',
  'test/structure/words.test.ts',
  'test/webhooks/docs.test.ts',
];
/** Of `npm run test:long`, or named as a PATH of `npm test`: CONTRIBUTING.md says which belong there. */
const LONG_FILES: string[] =
  process.env.TEST_LENGTH === 'short' ? JSON.parse(readFileSync('test/longFiles.json', 'utf8')) : [];
/** They take minutes and need more than npm gives: `npm run test:image` and `npm run test:medusa` alone run them. */
const ALONE = ['test/deploy/image.test.ts', 'test/medusa/medusa.test.ts'].filter(
  (file) => !(process.env.TEST_ALONE ?? '').split(',').includes(file),
);
const UNIT = [...UNIT_FOLDERS.map((folder) => `${folder}**/*.test.{ts,tsx}`), ...UNIT_FILES];

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: '#html', development: false } },
  // The source itself, rather than what was built of it.
  resolve: {
    alias: {
      '#html/jsx-runtime': fileURLToPath(new URL('src/kit/jsxRuntime.ts', import.meta.url)),
      '@waypost/client': fileURLToPath(new URL('clients/typescript/src/index.ts', import.meta.url)),
    },
  },
  test: {
    pool: 'forks',
    // Two more than the cores that there may be: many tests wait for other processes, or for time to pass, and three left a sixth of
    // two cores idle. Unit tests alone ask for more, since the longest of them only wait (scripts/test.mjs).
    maxWorkers: Number(process.env.TEST_WORKERS ?? 4),
    // Files share a process: loading the modules anew for each took two thirds of the unit tests' CPU time, and a third
    // of the others'.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a poll waits for comes after milliseconds, but not on a machine that is busy: a second, the default, has failed.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...UNIT, ...LONG_FILES, ...ALONE],
          globalSetup: ['test/support/globalSetup.ts'],
        },
      },
    ],
  },
});
