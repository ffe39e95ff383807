import { prepare } from './prepare.mjs';

await prepare();
process.setSourceMapsEnabled(true);
await import('../dist/cli/main.js');
