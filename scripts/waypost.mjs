import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/program/cli.js');
