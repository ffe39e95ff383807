import type { Config } from '../config/config.ts';
import type { Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Hasher } from '../kit/seal.ts';
import type { Reader } from './values.ts';

/** One command of the operator: what `--help` says of it, and what it does. */
export interface Command {
  /** The words that call it: a noun and a verb, or one word. */
  path: string;
  about: string;
  /** In the order they are given; `optional` names the last of them when it may be left out. */
  arguments: Readonly<Record<string, string>>;
  optional?: string;
  flags: Readonly<Record<string, Flag>>;
  run(given: Given<string, string>, cli: Cli): Promise<Report>;
}

export interface Flag {
  /** What stands for its value in the usage line. Every flag takes one. */
  value: string;
  about: string;
  required?: true;
}

/** What a command answers: for a program with `--json`, for a person without. */
export interface Report {
  json: unknown;
  text: string;
}

/** What a command works with. The database is opened when it is asked for: a mistyped command needs none. */
export interface Cli {
  config: Config;
  open(): Promise<Connection>;
  /** The address of the database, whatever state its schema is in. */
  databaseUrl(): Promise<string>;
}

export interface Connection {
  pool: Pool;
  clock: Clock;
  /** The keyed hash under which stops and suppressions are kept. */
  hasher(): Promise<Hasher>;
}

/** The arguments and flags of a call. Values are read when asked for, and a bad one is the operator's mistake. */
export interface Given<Argument extends string, FlagName extends string> {
  argument<T>(name: Argument, read: Reader<T>): T;
  optionalArgument<T>(name: Argument, read: Reader<T>): T | undefined;
  flag<T>(name: FlagName, read: Reader<T>): T | undefined;
  required<T>(name: FlagName, read: Reader<T>): T;
}

interface Definition<Argument extends string, FlagName extends string> {
  path: string;
  about: string;
  arguments: Readonly<Record<Argument, string>>;
  optional?: NoInfer<Argument>;
  flags: Readonly<Record<FlagName, Flag>>;
  run(given: Given<Argument, FlagName>, cli: Cli): Promise<Report>;
}

/** A command whose own names are checked by the compiler: it can only read what it declares. */
export const command = <Argument extends string = never, FlagName extends string = never>(
  definition: Definition<Argument, FlagName>,
): Command => definition;

export function given(
  called: Command,
  words: readonly string[],
  flags: ReadonlyMap<string, string>,
): Given<string, string> {
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
  };
}
