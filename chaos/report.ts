import { markdownTable } from '../test/support/markdownTable.ts';

/** A scenario's figures, and the checks that must hold. */
export interface ScenarioReport {
  scenario: string;
  /** Why the scenario cannot run here; then the rest is empty. */
  skipped?: string;
  figures: Record<string, number | string>;
  checks: Check[];
}

export interface Check {
  promise: string;
  violations: number;
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

/** Markdown tables, for the terminal and the documentation. */
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
