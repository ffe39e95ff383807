import { type Environment, readConfig } from '../config/config.ts';
import { isConflict, isUnavailable } from '../db/errors.ts';
import { ApiError, messageOf, OperatorError, sentenceOf } from '../kit/errors.ts';
import type { Report } from './command.ts';
import { readCommandLine } from './commandLine.ts';
import { commands } from './commands.ts';
import { openCli } from './connection.ts';
import { help } from './help.ts';

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Hears how to let go of the database, for a command that is interrupted. */
  onOpen?(close: () => Promise<void>): void;
}

/** Runs one command and answers its exit code. A mistake is one sentence on standard error, never a stack. */
export async function runCli(argv: readonly string[], env: Environment, terminal: Terminal): Promise<0 | 1> {
  try {
    const asked = readCommandLine(argv, commands);
    if (asked.kind === 'help') {
      print(terminal, help(asked.about), asked.json);
      return 0;
    }
    const cli = openCli(readConfig(env));
    terminal.onOpen?.(cli.close);
    try {
      print(terminal, await asked.command.run(asked.given, cli), asked.json);
    } finally {
      await cli.close();
    }
    return 0;
  } catch (error) {
    terminal.err(`${sentence(error).replace(/\s+/g, ' ').trim()}\n`);
    return 1;
  }
}

const print = (terminal: Terminal, report: Report, json: boolean): void =>
  terminal.out(`${json ? JSON.stringify(report.json, null, 2) : report.text}\n`);

function sentence(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof ApiError)
    return typeof error.detail === 'string' ? error.detail : sentenceOf(error.code);
  if (isUnavailable(error)) return `The database is out of reach (${reason(error)}).`;
  if (isConflict(error))
    return 'Something else changed the same thing at the same moment: run the command again.';
  return `The command failed: ${messageOf(error).replace(/\.$/, '')}.`;
}

/** Several refused connections come as one error without words, but with a code. */
function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return messageOf(error).trim() || code;
}
