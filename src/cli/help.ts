import type { Command, Report } from './command.ts';

const CALL = 'npm run -s waypost --';
const GAP = 3;
const WIDTH = 100;

/** One command in full, or a list of several. */
export function help(about: readonly Command[]): Report {
  const [only] = about;
  return {
    json: {
      commands: about.map((command) => ({
        command: command.path,
        usage: usage(command),
        about: command.about,
      })),
    },
    text: about.length === 1 && only !== undefined ? inFull(only) : list(about),
  };
}

export const usage = (command: Command): string => usageParts(command).join(' ');

function usageParts(command: Command): string[] {
  const flags = Object.entries(command.flags).map(([name, { value, required }]) =>
    required ? `--${name} ${value}` : `[--${name} ${value}]`,
  );
  return [command.path, ...argumentNames(command), ...flags];
}

const argumentNames = (command: Command): string[] =>
  Object.keys(command.arguments).map((name) => (name === command.optional ? `[${name}]` : name));

function list(about: readonly Command[]): string {
  return [
    `Usage: ${CALL} <command> [--json] [--help]`,
    '',
    ...columns(about.map((command) => [[command.path, ...argumentNames(command)].join(' '), command.about])),
    '',
    'Every command accepts --json, for output in JSON, and --help, which explains its flags.',
  ].join('\n');
}

function inFull(command: Command): string {
  return [
    `${command.about}.`,
    '',
    wrapped([`Usage: ${CALL}`, ...usageParts(command)]),
    '',
    ...columns([
      ...Object.entries(command.arguments),
      ...Object.entries(command.flags).map(([name, { value, about }]): [string, string] => [
        `--${name} ${value}`,
        about,
      ]),
      ['--json', 'print JSON'],
    ]),
  ].join('\n');
}

/** Breaks between parts only, so that a flag stays with its value. */
function wrapped(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + part.length > WIDTH)
      lines.push(lines.length === 0 ? part : `  ${part}`);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines.join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + GAP;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}
