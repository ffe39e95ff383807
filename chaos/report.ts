/** What a scenario found: figures to read, and checks that must hold. */
export interface ScenarioReport {
  scenario: string;
  /** Why it could not run here; then there is nothing else. */
  skipped?: string;
  figures: Record<string, number | string>;
  checks: Check[];
}

/** A promise, and how often it was broken. */
export interface Check {
  promise: string;
  violations: number;
  /** The first few of them, for whoever looks into it. */
  examples: string[];
}

const EXAMPLES = 5;

export const check = (promise: string, violations: readonly string[]): Check => ({
  promise,
  violations: violations.length,
  examples: violations.slice(0, EXAMPLES),
});

export const allChecksHold = (reports: readonly ScenarioReport[]): boolean =>
  reports.every(({ checks }) => checks.every(({ violations }) => violations === 0));

/** As tables of Markdown, for a terminal and for the documentation alike. */
export function asMarkdown({ scenario, skipped, figures, checks }: ScenarioReport): string {
  if (skipped !== undefined) return `### ${scenario}\n\nSkipped: ${skipped}`;
  return [
    `### ${scenario}`,
    table(
      ['promise', 'violations'],
      checks.map(({ promise, violations }) => [promise, String(violations)]),
    ),
    table(
      ['figure', 'value'],
      Object.entries(figures).map(([name, value]) => [name, shown(value)]),
    ),
  ].join('\n\n');
}

const shown = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en-GB', { maximumFractionDigits: 2 }) : value;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
