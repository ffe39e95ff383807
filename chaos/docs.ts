import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { asMarkdown, type ScenarioReport } from './report.ts';

const PAGE = fileURLToPath(new URL('../docs/reliability.md', import.meta.url));

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
  const begin = `<!-- chaos: ${report.scenario} -->`;
  const end = '<!-- /chaos -->';
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`docs/reliability.md has no place for "${report.scenario}".`);
  const command = ['npm run chaos', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const found = `${begin}\n\n${asMarkdown(report)}\n\nBy \`${command}\`.\n\n`;
  return page.slice(0, from) + found + page.slice(to);
}
