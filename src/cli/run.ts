import { isConflict, isUnavailable } from '../db/errors.ts';
import { databaseFaultOf, explainDatabaseError } from '../db/faults.ts';
import type { Environment } from '../environment/config.ts';
import { ApiError, messageOf, OperatorError, sentenceOf } from '../kit/errors.ts';
import { commandInput, type Report } from './command.ts';
import { parseCommandLine } from './commandLine.ts';
import { commands } from './commands.ts';
import { openCli } from './connection.ts';
import { callOf, help } from './help.ts';

interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Standard input. */
  input(): AsyncIterable<Uint8Array>;
  /** Receives the function that closes the database, for an interrupted command. */
  onOpen?(close: () => Promise<void>): void;
  /** Other name servers than the system's; for tests. */
  nameServers?: readonly string[];
}

/** Runs one command and resolves to its exit code. A mistake is one sentence on standard error, never a stack. */
export async function runCli(argv: readonly string[], env: Environment, terminal: Terminal): Promise<0 | 1> {
  try {
    const line = parseCommandLine(argv, commands);
    if (line.kind === 'help') {
      print(terminal, help(line.about, callOf(env)), line.json);
      return 0;
    }
    const cli = openCli(env, terminal);
    // A wrong setting comes before a wrong argument.
    if (line.command.readsConfig) void cli.config;
    terminal.onOpen?.(cli.close);
    try {
      const given = commandInput(line.command, line.words, line.flags);
      const report = await line.command.run(given, cli);
      print(terminal, report, line.json);
      return report.failed ? 1 : 0;
    } finally {
      await cli.close();
    }
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
  if (databaseFaultOf(error) !== null || isUnavailable(error)) return explainDatabaseError(error).message;
  if (isConflict(error)) return 'The same data changed at the same moment: run the command again.';
  return `The command failed: ${messageOf(error).replace(/\.$/, '')}.`;
}
