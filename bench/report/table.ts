import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { markdownTable } from '../../test/support/markdownTable.ts';
import type { BesideRow } from '../beside.ts';
import type { Curve } from '../curves.ts';
import type { Measured } from '../measure.ts';
import type { Row } from './row.ts';

const RATES = ['what', 'baseline', 'ours/s', 'baseline/s', 'ratio', 'target'];
const COSTS = ['p50 ms', 'p99 ms', 'CPU', 'RSS MB'];

/** CPU: cores in use by our process + by Postgres. */
export const resultsTable = (rows: readonly Row[]): string =>
  markdownTable([...RATES, ...COSTS], rows.map(cellsOf));

/** Of `--beside`. */
export const besideTable = (rows: readonly BesideRow[]): string =>
  markdownTable(
    ['what', 'ours/s', 'theirs/s', 'ratio'],
    rows.map(({ name, oursPerSecond, theirsPerSecond, ratio, error }) => [
      name,
      rate(oursPerSecond),
      rate(theirsPerSecond),
      `${ratio.toFixed(3)} ± ${error.toFixed(3)}`,
    ]),
  );

const curveTable = ({ title, x, series, points }: Curve): string =>
  `${title}, by ${x}:\n\n${markdownTable(
    [x, ...series],
    points.map((point) => [rate(point.x), ...point.values.map((y) => (y < 10 ? y.toFixed(2) : rate(y)))]),
  )}`;

const cellsOf = ({ name, baseline, ours, theirs, ratio, target, met }: Row): string[] => [
  name,
  baseline,
  rate(ours.perSecond),
  theirs === null ? '–' : rate(theirs.perSecond),
  ratio === null ? '–' : ratio.toFixed(2),
  `${target?.text ?? '–'}${met === null ? '' : met ? ' ✓' : ' ✗'}`,
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

const PAGE = new URL('../../docs/performance.md', import.meta.url);

/** Writes the results between the markers of docs/performance.md. */
export async function writeBenchDocs(rows: readonly Row[], curves: readonly Curve[]): Promise<void> {
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
  const measured = [
    `Measured on ${machine}; commits wait for the disk.`,
    resultsTable(rows),
    ...curves.map(curveTable),
  ];
  const page = await readFile(PAGE, 'utf8');
  const marks = ['<!-- measured: begin -->', '<!-- measured: end -->'] as const;
  await writeFile(PAGE, withSection(page, ...marks, measured.join('\n\n')));
}

/** The page with this between two markers of it. */
export function withSection(page: string, begin: string, end: string, content: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`The page has no place for it: ${begin}`);
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`;
}
