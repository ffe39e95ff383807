import type { Command, Report } from './command.ts';

const CALL = 'npm run -s waypost --';
const GAP = 3;

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

export function usage(command: Command): string {
  const words = Object.keys(command.arguments).map((name) =>
    name === command.optional ? `[${name}]` : name,
  );
  const flags = Object.entries(command.flags).map(([name, { value, required }]) =>
    required ? `--${name} ${value}` : `[--${name} ${value}]`,
  );
  return [command.path, ...words, ...flags].join(' ');
}

function list(about: readonly Command[]): string {
  return [
    `Usage: ${CALL} <command> [--json] [--help]`,
    '',
    ...columns(
      about.map((command) => [[command.path, ...Object.keys(command.arguments)].join(' '), command.about]),
    ),
    '',
    'Every command takes --json, for an answer in JSON, and --help, which explains its flags.',
  ].join('\n');
}

function inFull(command: Command): string {
  return [
    `${command.about}.`,
    '',
    `Usage: ${CALL} ${usage(command)}`,
    '',
    ...columns([
      ...Object.entries(command.arguments),
      ...Object.entries(command.flags).map(([name, { value, about }]): [string, string] => [
        `--${name} ${value}`,
        about,
      ]),
      ['--json', 'answer in JSON'],
    ]),
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + GAP;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}
