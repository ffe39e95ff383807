import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';

/* node bench/run.mjs erasure '{"messages":100000}' : runs one benchmark on a Postgres of its own and prints what it found. */

const [name = '', options = '{}'] = process.argv.slice(2);
const { module } = await runnerImport(join(import.meta.dirname, 'onPostgres.ts'));
const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
try {
  console.log(JSON.stringify(await module.runBench(name, JSON.parse(options), folder), null, 2));
} finally {
  await rm(folder, { recursive: true, force: true });
}
