import { prepare } from './prepare.mjs';
import { npmAbove, stopWithNpm } from './stopWithNpm.mjs';

const npm = npmAbove();
await prepare();
process.setSourceMapsEnabled(true);
// In this process: one to signal, and nothing between the terminal and the server.
await import('../dist/program/start.js');
stopWithNpm(npm);
