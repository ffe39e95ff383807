#!/usr/bin/env node
import { WaypostError } from '../errors.ts';
import { listen } from './listen.ts';
import { HELP, readListenOptions, UsageMistake } from './options.ts';

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

try {
  const options = readListenOptions(process.argv.slice(2), process.env);
  if (options === null) process.stdout.write(HELP);
  else await listen(options, (line) => process.stdout.write(`${line}\n`), stop.signal);
} catch (error) {
  if (!stop.signal.aborted) {
    const isExpected = error instanceof UsageMistake || error instanceof WaypostError;
    process.stderr.write(`${isExpected ? error.message : String(error)}\n`);
    process.exitCode = error instanceof UsageMistake ? 2 : 1;
  }
}
