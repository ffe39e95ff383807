import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/cli/main.js');
