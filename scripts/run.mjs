import { prepare } from './prepare.mjs';

/* node scripts/run.mjs FILE.ts   runs a script that uses the source */

await prepare({ build: false });
// It needs a package, which is there only now.
const { importTypescript } = await import('./importTypescript.mjs');
await importTypescript(process.argv[2]);
