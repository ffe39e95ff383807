import { join } from 'node:path';
import { importTypescript } from '../../scripts/importTypescript.mjs';

/* node workerProcess.mjs DATABASE_URL PORT … : a worker in a process of its own, for tests that kill it or stop it. */
const module = await importTypescript(join(import.meta.dirname, 'workerProcess.ts'));
await module.work(process.argv[2], process.argv.slice(3).map(Number));
process.stdout.write('working\n');
