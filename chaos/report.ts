import { readFile, writeFile } from 'node:fs/promises';
import { withSection } from '../bench/report/table.ts';
import { markdownTable } from '../test/support/markdownTable.ts';

/** A scenario's figures, and what breaks each of its promises. */
export interface ScenarioResult {
  figures: Record<string, number | string>;
  broken: Violations;
}

/** By promise. One that holds has an empty list. */
export type Violations = Record<string, readonly string[]>;

/** Why a scenario cannot run here. */
export interface Skipped {
  skipped: string;
}

export type ScenarioReport = { scenario: string } & (ScenarioResult | Skipped);

/** What breaks a promise that is only kept or not. `otherwise` says what is so instead. */
export const unless = (holds: boolean, otherwise: unknown): string[] =>
  holds ? [] : [typeof otherwise === 'string' ? otherwise : JSON.stringify(otherwise)];

export const brokenPromises = (reports: readonly ScenarioReport[]) =>
  reports.flatMap((report) =>
    'broken' in report ? Object.entries(report.broken).filter(([, by]) => by.length > 0) : [],
  );

/** Markdown tables, for the terminal and the documentation. */
export function asMarkdown(report: ScenarioReport): string {
  const title = `### ${report.scenario}`;
  if ('skipped' in report) return `${title}\n\nSkipped: ${report.skipped}`;
  const promises = Object.entries(report.broken).map(([promise, by]) => [promise, String(by.length)]);
  const figures = Object.entries(report.figures).map(([name, value]) => [name, shown(value)]);
  const tables = [
    markdownTable(['promise', 'violations'], promises),
    markdownTable(['figure', 'value'], figures),
  ];
  return [title, ...tables].join('\n\n');
}

const shown = (value: number | string): string =>
  typeof value === 'number' ? value.toLocaleString('en-GB', { maximumFractionDigits: 2 }) : value;

const PAGE = new URL('../docs/reliability.md', import.meta.url);

/** Writes each report between its markers; a scenario that did not run keeps its last figures. */
export async function writeChaosDocs(
  reports: readonly ScenarioReport[],
  args: readonly string[],
): Promise<void> {
  let page = await readFile(PAGE, 'utf8');
  for (const report of reports) page = withFigures(page, report, args);
  await writeFile(PAGE, page);
}

export function withFigures(page: string, report: ScenarioReport, args: readonly string[]): string {
  const command = ['npm run chaos', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const content = `${asMarkdown(report)}\n\nBy \`${command}\`.`;
  return withSection(page, `<!-- chaos: ${report.scenario} -->`, '<!-- /chaos -->', content);
}
