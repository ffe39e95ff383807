import { join } from 'node:path';
import { prepare } from '../scripts/prepare.mjs';
import { importBench } from './importBench.mjs';

/* npm run bench, npm run soak: measures on its own Postgres, which is deleted when the run ends. */

await prepare();
const { bench } = await importBench(join(import.meta.dirname, 'main.ts'));
process.exit(await bench(process.argv.slice(2)));
