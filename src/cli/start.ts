import { OperatorError } from '../kit/errors.ts';
import { command } from './command.ts';

/** Only for its help: main.ts starts the server, which is not run like a command that ends with a report. */
const start = command({
  path: 'start',
  about: 'Starts the server, with the settings of the environment, until it is stopped',
  async run() {
    throw new OperatorError('start prints no JSON: it runs until it is stopped.');
  },
});

export const startCommands = [start];
