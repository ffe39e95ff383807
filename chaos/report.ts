import { markdownTable } from '../test/support/markdownTable.ts';

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
    markdownTable(
      ['promise', 'violations'],
      checks.map(({ promise, violations }) => [promise, String(violations)]),
    ),
    markdownTable(
      ['figure', 'value'],
      Object.entries(figures).map(([name, value]) => [name, shown(value)]),
    ),
  ].join('\n\n');
}

const shown = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en-GB', { maximumFractionDigits: 2 }) : value;
