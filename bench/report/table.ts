import type { Measured } from '../measure.ts';
import { type Row, targetText } from './row.ts';

const HEAD = ['work', 'limit', 'ours/s', 'limit/s', 'ratio', 'reach', 'p50 ms', 'p99 ms', 'CPU', 'RSS MB'];

/** The rows as a Markdown table, which reads as well in a terminal. CPU: processors busy in our process + in Postgres. */
export function resultsTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const cellsOf = ({ name: work, baseline: limit, ours, theirs, ratio, target: reach, met }: Row): string[] => [
  work,
  limit,
  rate(ours.perSecond),
  theirs === null ? '–' : rate(theirs.perSecond),
  ratio === null ? '–' : ratio.toFixed(2),
  `${targetText(reach)}${met === null ? '' : met ? ' ✓' : ' ✗'}`,
  time(ours.p50),
  time(ours.p99),
  cpu(ours.cpu),
  ours.rssMegabytes === undefined ? '–' : Math.round(ours.rssMegabytes).toString(),
];

const rate = (perSecond: number): string =>
  perSecond === 0 ? '–' : Math.round(perSecond).toLocaleString('en-US');
const time = (ms: number | undefined): string => (ms === undefined ? '–' : ms.toFixed(ms < 10 ? 2 : 1));
const cpu = (used: Measured['cpu']): string =>
  used === undefined ? '–' : `${used.process.toFixed(2)} + ${used.postgres.toFixed(2)}`;
