import { prepareShutdown } from '../server/signals.ts';
import { runCli } from './run.ts';

// A reader that has seen enough, such as `head`, closes the pipe: that is no mistake.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const shutdown = prepareShutdown({ interrupted: 1 });
// Until the command has succeeded: an interrupted one has not.
process.exitCode = 1;
process.exitCode = await runCli(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  onOpen: shutdown.add,
});
