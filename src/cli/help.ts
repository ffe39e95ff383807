import type { Environment } from '../environment/config.ts';
import type { Command, Input, Report } from './command.ts';

/** How the program was called: by the script of a clone, or as the installed package. */
export const callOf = (env: Environment): string =>
  env.npm_lifecycle_event === 'waypost' ? 'npm run -s waypost --' : 'waypost';

const GAP = 3;
const WIDTH = 100;

/** One command in full, or a list of several. `call` is how the program is called. */
export function help(about: readonly Command[], call: string): Report {
  const [only] = about;
  const commands = about.map((one) => ({ command: one.path, usage: usage(one), about: one.about }));
  return {
    json: { commands },
    text: about.length === 1 && only !== undefined ? inFull(only, call) : list(about, call),
  };
}

export const usage = (command: Command): string => usageParts(command).join(' ');

function usageParts(command: Command): string[] {
  const flags = Object.entries(command.flags).map(([name, flag]) =>
    flag.isOptional ? `[${withValue(name, flag)}]` : withValue(name, flag),
  );
  return [command.path, ...argumentNames(command), ...flags];
}

const withValue = (name: string, { placeholder = '' }: Input): string => `--${name} ${placeholder}`.trimEnd();

const argumentNames = (command: Command): string[] =>
  Object.entries(command.arguments).map(([name, { isOptional }]) => (isOptional ? `[${name}]` : name));

const list = (about: readonly Command[], call: string): string =>
  [
    `Usage: ${call} <command> [--json] [--help]`,
    '',
    ...columns(about.map((command) => [[command.path, ...argumentNames(command)].join(' '), command.about])),
    '',
    'Every command accepts --json, for output in JSON, and --help, which explains its flags.',
  ].join('\n');

const inFull = (command: Command, call: string): string =>
  [
    `${command.about}.`,
    '',
    wrapped([`Usage: ${call}`, ...usageParts(command)]),
    '',
    ...columns([
      ...Object.entries(command.arguments).map(([name, { about }]) => [name, about] as const),
      ...Object.entries(command.flags).map(([name, flag]) => [withValue(name, flag), flag.about] as const),
      ['--json', 'print JSON'],
    ]),
  ].join('\n');

/** Breaks between parts only, so that a flag stays with its value. */
function wrapped(parts: readonly string[], { between = ' ', indent = 2 } = {}): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + between.length + part.length > WIDTH)
      lines.push(last === undefined ? part : `${' '.repeat(indent)}${part}`);
    else lines[lines.length - 1] = `${last}${between}${part}`;
  }
  return lines.join('\n');
}

/** A list of values that is too long for its line breaks after one of them. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + GAP;
  return rows.map(([left, right]) =>
    wrapped(`  ${left.padEnd(width)}${right}`.split(/(?<=\|)/), { between: '', indent: width + 2 }),
  );
}
