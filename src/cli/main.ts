#!/usr/bin/env -S node --heap-growing-percent=100
import { prepareShutdown } from '../server/signals.ts';

/* The program `waypost`: of the package, and of `npm run -s waypost --` in a clone. */

process.setSourceMapsEnabled(true);
const argv = process.argv.slice(2);
// The flag in the first line is the one that `npm start` gives to Node. The processes of a supervisor inherit it.
if (argv.length === 1 && argv[0] === 'start') await import('../server/start.ts');
else await runCommand();

async function runCommand(): Promise<void> {
  // A reader such as `head` closes the pipe early, which is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  // Not loaded by a server.
  const { runCli } = await import('./run.ts');
  const shutdown = prepareShutdown({ interrupted: 1 });
  // An interrupted command has not succeeded.
  process.exitCode = 1;
  process.exitCode = await runCli(argv, process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    input: () => process.stdin,
    onOpen: shutdown.add,
  });
}
