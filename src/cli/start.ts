import { OperatorError } from '../kit/errors.ts';
import { command } from './command.ts';

/** The server runs in this process until it is stopped, so it is not run like a command that ends with a report. */
export const isStart = (argv: readonly string[]): boolean => argv.length === 1 && argv[0] === 'start';

const start = command({
  path: 'start',
  about: 'Starts the server, with the settings of the environment, until it is stopped',
  arguments: {},
  flags: {},
  async run() {
    throw new OperatorError('start prints no JSON: it runs until it is stopped.');
  },
});

export const startCommands = [start];
