import type { Variable } from '../config/variable.ts';
import { variableGroups } from './variables.ts';

/** docs/configuration.md, made from the descriptions that the readers use. `npm run docs:configuration` writes it. */
export function variablesPage(): string {
  const groups = variableGroups.map(({ title, about, variables }) => {
    const rows = Object.entries(variables).map(([name, variable]) => [
      `\`${name}\`${variable.file ? ' ⁺' : ''}`,
      defaultOf(variable),
      variable.options ? `${optionsOf(variable.options)}: ${variable.about}` : variable.about,
    ]);
    return [`## ${title}`, '', about, '', ...table([['variable', 'default', 'meaning'], ...rows])].join('\n');
  });
  return `${[INTRODUCTION, ...groups].join('\n\n')}\n`;
}

const INTRODUCTION = `# Configuration

<!-- Made by \`npm run docs:configuration\` from the groups of variables in src. Change the descriptions there. -->

Every variable of the environment that Waypost reads. \`waypost check\` (in a clone \`npm run -s waypost -- check\`) reads them all, says everything that is wrong with them, and
reaches the database and each provider without sending anything ([operations](operations.md#before-the-first-start)).

- A value that makes no sense stops the start with one sentence per variable. An empty value counts as unset.
- ⁺ can also come from a file: append \`_FILE\` to the name and give the path, as secrets of containers are given. Set one of the two.
- All processes on one database need the same \`SECRET_KEY\`, \`PUBLIC_URL\` and providers. The rest may differ.`;

/** What holds when the variable is unset. */
const defaultOf = ({ unset, default: fallback }: Variable): string =>
  unset ?? (fallback === '' ? 'empty' : `\`${fallback}\``);

const optionsOf = (options: readonly string[]): string => options.map((option) => `\`${option}\``).join(', ');

/** Aligned, so that a change of one row is easy to see. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.replaceAll('|', '\\|').padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [heading = [], ...rest] = rows;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)];
}
