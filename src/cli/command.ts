import type { Pool } from '../db/pool.ts';
import type { Config, Environment } from '../environment/config.ts';
import type { Clock } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Hasher, Sealer } from '../kit/seal.ts';
import { id, type ParseValue } from '../kit/typedValues.ts';

/** An argument or a flag: its help text, and how the typed word becomes a value. */
export interface Input<Value = unknown> {
  about: string;
  /** Stands for a flag's value in the usage line; a flag without one is given or not. */
  placeholder?: string;
  isOptional?: true;
  read: ParseValue<Value>;
}

type Inputs = Readonly<Record<string, Input>>;
type ValuesOf<Of extends Inputs> = {
  [Name in keyof Of]: Of[Name] extends Input<infer Value> ? Value : never;
};

export const argument = <Value>(about: string, read: ParseValue<Value>): Input<Value> => ({ about, read });

/** For the last argument of a command that can do without. */
export const optional = <Value>(input: Input<Value>): Input<Value | undefined> => ({
  ...input,
  isOptional: true,
});

export const requiredFlag = <Value>(
  placeholder: string,
  about: string,
  read: ParseValue<Value>,
): Input<Value> => ({ placeholder, about, read });

export const flag = <Value>(placeholder: string, about: string, read: ParseValue<Value>) =>
  optional(requiredFlag(placeholder, about, read));

/** A flag without a value. */
export const toggle = (about: string) => optional(argument(about, () => true));

/** The argument of every command about one business. */
export const BUSINESS_ID = argument('the id of the business', id);

interface Definition<Arguments extends Inputs, Flags extends Inputs, Context = Cli> {
  /** A noun and a verb, or one word. */
  path: string;
  about: string;
  /** In order. */
  arguments?: Arguments;
  flags?: Flags;
  /** False: it runs whatever is wrong with the settings. */
  readsConfig?: boolean;
  run(given: ValuesOf<Arguments> & ValuesOf<Flags>, context: Context): Promise<Report>;
}

/** One command: its help text and what it does. */
export type Command = Required<Definition<Inputs, Inputs>>;

/** The compiler checks that a command reads only the arguments and flags that it declares. */
export const command = <
  Arguments extends Inputs = Record<never, never>,
  Flags extends Inputs = Record<never, never>,
>(
  definition: Definition<Arguments, Flags>,
): Command => ({ arguments: {}, flags: {}, readsConfig: true, ...definition });

/** A command that needs nothing but the database, which is opened once the arguments are read. */
export const databaseCommand = <
  Arguments extends Inputs = Record<never, never>,
  Flags extends Inputs = Record<never, never>,
>(
  definition: Definition<Arguments, Flags, OpenDatabase>,
): Command =>
  command<Arguments, Flags>({
    ...definition,
    run: async (given, cli) => definition.run(given, await cli.open()),
  });

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
  /** For questions about domains, `address:port` each; default: the system's. */
  nameServers?: readonly string[] | undefined;
  open(): Promise<OpenDatabase>;
  /** What is piped into the command. */
  input(): AsyncIterable<Uint8Array>;
  /** The database's URL, without a check of its schema. */
  databaseUrl(): Promise<string>;
}

export interface OpenDatabase {
  pool: Pool;
  clock: Clock;
  /** The keyed hash under which stops and suppressions are stored. */
  hasher(): Promise<Hasher>;
  /** For secrets of stores. */
  sealer(): Promise<Sealer>;
  secretKeys(): Promise<readonly string[]>;
}

/** The values of a call's arguments and flags. A missing or a bad one is an OperatorError. */
export function commandInput(called: Command, words: readonly string[], flags: ReadonlyMap<string, string>) {
  const read = (name: string, { about, placeholder = '', isOptional, read }: Input, text?: string) => {
    if (text !== undefined) return read(text, name);
    if (isOptional) return undefined;
    throw new OperatorError(`${called.path} needs ${`${name} ${placeholder}`.trimEnd()}: ${about}.`);
  };
  return Object.fromEntries([
    ...Object.entries(called.arguments).map(([name, input], at) => [name, read(name, input, words[at])]),
    ...Object.entries(called.flags).map(([name, input]) => [name, read(`--${name}`, input, flags.get(name))]),
  ]);
}
