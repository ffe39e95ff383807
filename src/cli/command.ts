import type { Config, Environment } from '../config/config.ts';
import type { Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Hasher } from '../kit/seal.ts';
import type { ParseValue } from '../kit/typedValues.ts';

/** One command: its help text and what it does. */
export interface Command {
  /** A noun and a verb, or one word. */
  path: string;
  about: string;
  /** In order; `optional` names the last one if it can be omitted. */
  arguments: Readonly<Record<string, string>>;
  optional?: string;
  flags: Readonly<Record<string, Flag>>;
  /** False: it runs whatever is wrong with the settings. */
  readsConfig?: false;
  run(input: CommandInput<string, string>, cli: Cli): Promise<Report>;
}

export interface Flag {
  /** The placeholder for the value in the usage line; a flag without one is given or not. */
  value?: string;
  about: string;
  required?: true;
}

/** A command's result: `json` with `--json`, else `text`. */
export interface Report {
  json: unknown;
  text: string;
  /** The exit status says so; the report is printed all the same. */
  failed?: boolean;
}

/** A command's environment. The database is opened on demand, so a mistyped command needs none. */
export interface Cli {
  env: Environment;
  /** Throws where a setting is wrong. */
  readonly config: Config;
  open(): Promise<Connection>;
  /** The database's URL, without a check of its schema. */
  databaseUrl(): Promise<string>;
}

export interface Connection {
  pool: Pool;
  clock: Clock;
  /** The keyed hash under which stops and suppressions are stored. */
  hasher(): Promise<Hasher>;
}

/** The arguments and flags of a call. Each is parsed on demand, and a bad value is an OperatorError. */
export interface CommandInput<Argument extends string, FlagName extends string> {
  argument<T>(name: Argument, read: ParseValue<T>): T;
  optionalArgument<T>(name: Argument, read: ParseValue<T>): T | undefined;
  flag<T>(name: FlagName, read: ParseValue<T>): T | undefined;
  required<T>(name: FlagName, read: ParseValue<T>): T;
  /** Whether a flag that has no value is given. */
  isGiven(name: FlagName): boolean;
}

interface Definition<Argument extends string, FlagName extends string> {
  path: string;
  about: string;
  arguments: Readonly<Record<Argument, string>>;
  optional?: NoInfer<Argument>;
  flags: Readonly<Record<FlagName, Flag>>;
  readsConfig?: false;
  run(input: CommandInput<Argument, FlagName>, cli: Cli): Promise<Report>;
}

/** The compiler checks that a command reads only the arguments and flags that it declares. */
export const command = <Argument extends string = never, FlagName extends string = never>(
  definition: Definition<Argument, FlagName>,
): Command => definition;

export function commandInput(
  called: Command,
  words: readonly string[],
  flags: ReadonlyMap<string, string>,
): CommandInput<string, string> {
  const names = Object.keys(called.arguments);
  const argument = (name: string): string | undefined => words[names.indexOf(name)];
  return {
    argument(name, read) {
      const text = argument(name);
      if (text === undefined)
        throw new OperatorError(`${called.path} needs ${name}: ${called.arguments[name]}.`);
      return read(text, name);
    },
    optionalArgument(name, read) {
      const text = argument(name);
      return text === undefined ? undefined : read(text, name);
    },
    flag(name, read) {
      const text = flags.get(name);
      return text === undefined ? undefined : read(text, `--${name}`);
    },
    required(name, read) {
      const text = flags.get(name);
      if (text === undefined) {
        throw new OperatorError(
          `${called.path} needs --${name} ${called.flags[name]?.value}: ${called.flags[name]?.about}.`,
        );
      }
      return read(text, `--${name}`);
    },
    isGiven: (name) => flags.has(name),
  };
}
