import { parseArgs } from 'node:util';
import { OperatorError } from '../kit/errors.ts';
import { shown } from '../kit/typedValues.ts';
import type { Command } from './command.ts';

/** What the command line asks for: to run a command, or to explain some. */
type ParsedCommandLine =
  | { kind: 'run'; command: Command; words: string[]; flags: Map<string, string>; json: boolean }
  | { kind: 'help'; about: readonly Command[]; json: boolean };

/** Parses a command line. Flags can be anywhere; the other words are the command and its arguments. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const { words, flags, json, help } = split(argv, commands);
  const found = commands.find(({ path }) => path === words.slice(0, path.split(' ').length).join(' '));
  if (found === undefined) {
    if (help) return { kind: 'help', about: commandsToExplain(words, commands), json };
    throw unknownCommand(words, commands);
  }
  for (const name of flags.keys()) {
    if (!Object.hasOwn(found.flags, name)) throw unknownFlag(found.path, `--${name}`);
  }
  if (help) return { kind: 'help', about: [found], json };
  const rest = words.slice(found.path.split(' ').length);
  const surplus = rest[Object.keys(found.arguments).length];
  if (surplus !== undefined)
    throw new OperatorError(`${found.path} does not accept "${shown(surplus)}"; ${seeHelp(found.path)}.`);
  return { kind: 'run', command: found, words: rest, flags, json };
}

interface Split {
  words: string[];
  flags: Map<string, string>;
  json: boolean;
  help: boolean;
}

/** parseArgs only splits the line; the messages about mistakes are our own. */
function split(argv: readonly string[], commands: readonly Command[]): Split {
  const known = new Set(commands.flatMap((command) => Object.keys(command.flags)));
  const switches = switchesOf(argv, commands);
  const valued = [...known].filter((name) => !switches.has(name));
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(valued.map((name) => [name, { type: 'string' }] as const)),
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const result: Split = { words: [], flags: new Map(), json: false, help: false };
  const called = () => result.words.slice(0, 2).map(shown).join(' ');
  for (const token of tokens) {
    if (token.kind === 'positional') result.words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (name === 'json' || name === 'help') {
      if (value !== undefined) throw new OperatorError(`${rawName} has no value.`);
      result[name] = true;
    } else if (!known.has(name) || rawName !== `--${name}`) {
      throw unknownFlag(called(), rawName);
    } else if (switches.has(name)) {
      if (value !== undefined) throw new OperatorError(`${rawName} has no value.`);
      result.flags.set(name, '');
    } else if (value === undefined || value === '' || (!inlineValue && looksLikeFlag(value))) {
      throw new OperatorError(`${rawName} needs a value.`);
    } else if (result.flags.has(name)) {
      throw new OperatorError(`${rawName} is given twice.`);
    } else {
      result.flags.set(name, value);
    }
  }
  return result;
}

/** The flags without a value, of a command that comes before all flags; of another, every flag has one. */
function switchesOf(argv: readonly string[], commands: readonly Command[]): ReadonlySet<string> {
  const called = commands.find(({ path }) => path === argv.slice(0, path.split(' ').length).join(' '));
  const flags = Object.entries(called?.flags ?? {});
  return new Set(flags.filter(([, { placeholder }]) => placeholder === undefined).map(([name]) => name));
}

/** A negative number is a value (and a wrong one); any other word with a dash is the next flag. */
const looksLikeFlag = (value: string): boolean => /^-[^\d]/.test(value);

/** `--help` after a noun explains that noun's commands; alone, all of them. */
function commandsToExplain(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  if (words.length === 0) return commands;
  const ofNoun = commands.filter(({ path }) => path.startsWith(`${words[0]} `));
  if (words.length > 1 || ofNoun.length === 0) throw unknownCommand(words, commands);
  return ofNoun;
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): OperatorError {
  const [noun, verb] = words;
  if (noun === undefined) return new OperatorError('No command given; --help lists them.');
  const verbs = commands
    .filter(({ path }) => path.startsWith(`${noun} `))
    .map(({ path }) => path.slice(noun.length + 1));
  if (verbs.length === 0)
    return new OperatorError(`There is no command "${shown(noun)}"; --help lists them.`);
  const choices = `${noun} must be followed by ${verbs.join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
  return new OperatorError(verb === undefined ? `${choices}.` : `${choices}, not "${shown(verb)}".`);
}

const unknownFlag = (path: string, flag: string): OperatorError =>
  new OperatorError(`${path === '' ? 'waypost' : path} has no flag ${shown(flag)}; ${seeHelp(path)}.`);

const seeHelp = (path: string): string => `see ${path === '' ? '' : `${path} `}--help`;
