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

export const curveTable = ({ title, x, series, points }: Curve): string =>
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
