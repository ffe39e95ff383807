import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Unit tests need neither Postgres nor a browser: everything beside the source, and of test/ what is named here. A test
 * of theirs, test/structure/unitTests.test.ts, fails when a file belongs to the other side.
 */
const UNIT = [
  'src/**/*.test.{ts,tsx}',
  'test/{bench,chaos,mutants}/*.test.ts',
  'test/erasure/traces.test.ts',
  'test/providers/{conformance,docs,outcomes}.test.ts',
  'test/security/{dependencies,patterns}.test.ts',
  'test/structure/{imports,unitTests,views}.test.ts',
  'test/webhooks/docs.test.ts',
];

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: '#html', development: false } },
  // The source itself, rather than what was built of it.
  resolve: {
    alias: { '#html/jsx-runtime': fileURLToPath(new URL('src/kit/jsxRuntime.ts', import.meta.url)) },
  },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          testTimeout: 120_000,
          // Most of a small file's time is loading modules: a third of the CPU time when files share a process.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: UNIT,
          globalSetup: ['test/helpers/globalSetup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
