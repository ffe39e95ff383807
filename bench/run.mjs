import { join } from 'node:path';
import { importTypescript } from '../scripts/importTypescript.mjs';
import { prepare } from '../scripts/prepare.mjs';

/* npm run bench, npm run soak: measures on its own Postgres, which is deleted when the run ends. */

await prepare();
const { bench } = await importTypescript(join(import.meta.dirname, 'main.ts'));
process.exit(await bench(process.argv.slice(2)));
