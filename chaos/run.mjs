import { join } from 'node:path';
import { importTypescript } from '../scripts/importTypescript.mjs';
import { prepare } from '../scripts/prepare.mjs';

/* npm run chaos -- --help */

await prepare();
const module = await importTypescript(join(import.meta.dirname, 'chaos.ts'));
process.exitCode = await module.chaos(process.argv.slice(2));
