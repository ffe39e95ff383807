import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/run.ts';

export const CLI_SECRET_KEY = '4b7e19c05ad83f62e1079bd4c8a2563f';

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/**
 * The operator's terminal on one database, with the variables that are set there: runs a command in this process and keeps
 * what it printed.
 */
export function openConsole(
  databaseUrl: string,
  variables: Record<string, string> = {},
  nameServers?: readonly string[],
) {
  const env = {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: CLI_SECRET_KEY,
    npm_lifecycle_event: 'waypost',
    ...variables,
  };

  const run = (...argv: string[]): Promise<CommandResult> => pipe('', ...argv);

  const pipe = async (input: string, ...argv: string[]): Promise<CommandResult> => {
    const printed = { out: '', err: '' };
    const code = await runCli(argv, env, {
      ...(nameServers && { nameServers }),
      out: (text) => {
        printed.out += text;
      },
      err: (text) => {
        printed.err += text;
      },
      input: () => Readable.from([Buffer.from(input)]),
    });
    return { code, ...printed };
  };

  return {
    run,
    /** Runs a command with this on its standard input. */
    pipe,
    /** What the command answers with `--json`; it must succeed and print nothing else. */
    async json(...argv: string[]): Promise<Record<string, unknown>> {
      const { code, out, err } = await run(...argv, '--json');
      if (code !== 0 || err !== '') throw new Error(`${argv.join(' ')}: ${err}`);
      return JSON.parse(out);
    },
    /** A new business, by its command. */
    async business(...flags: string[]): Promise<{ id: string; key: string }> {
      const made = await this.json('business', 'create', '--name', 'Shop', ...flags);
      return { id: String(made.business_id), key: String(made.api_key) };
    },
    /** What the command says to a person. */
    async text(...argv: string[]): Promise<string> {
      const { code, out, err } = await run(...argv);
      if (code !== 0 || err !== '') throw new Error(`${argv.join(' ')}: ${err}`);
      return out;
    },
    /** The one sentence of a mistake; it must fail, print one line on standard error and nothing else. */
    async mistake(...argv: string[]): Promise<string> {
      const { code, out, err } = await run(...argv);
      if (code === 0 || out !== '') throw new Error(`${argv.join(' ')} succeeded: ${out}`);
      if (!/^\S[^\n]*\.\n$/.test(err) || /\n\s+at |Error:/.test(err))
        throw new Error(`not one sentence: ${err}`);
      return err.trimEnd();
    },
  };
}

export type TestConsole = ReturnType<typeof openConsole>;
