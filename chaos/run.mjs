import { join } from 'node:path';
import { runnerImport } from 'vite';
import { prepare } from '../scripts/prepare.mjs';

/* npm run chaos -- --help */

await prepare();
const { module } = await runnerImport(join(import.meta.dirname, 'chaos.ts'));
process.exitCode = await module.chaos(process.argv.slice(2));
