import { prepareShutdown } from '../server/signals.ts';
import { runCli } from './run.ts';

// A reader such as `head` closes the pipe early, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const shutdown = prepareShutdown({ interrupted: 1 });
// An interrupted command has not succeeded.
process.exitCode = 1;
process.exitCode = await runCli(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  onOpen: shutdown.add,
});
