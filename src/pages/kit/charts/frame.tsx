import type { Children } from '../../../kit/jsxRuntime.ts';
import { ZonedTime } from '../components.tsx';
import { DataTable } from '../dataTable.tsx';
import { labelEvery } from './scale.ts';

/** `noun` follows a number: "3 bounced". */
interface ChartSeries {
  name: string;
  noun: string;
  tone: 'main' | 'quiet' | 'waiting' | 'bad' | 'worse';
}

interface ChartColumn {
  /** A shorter word for the axis, if the label is long. */
  tick?: string;
  /** A moment is shown in the viewer's zone. */
  label: string | Date;
  /** What the column counts. */
  href: string;
  /** What the values are together, as "34 messages". */
  total?: string;
  /** One per series; null: not known. */
  values: readonly (number | null)[];
  /** What each value counts; without: there is no list of it alone. */
  hrefs?: readonly string[];
  /** The values are a guess. */
  isProjected?: boolean;
}

export interface ChartProps {
  title: string;
  /** What a column is: the heading of the table's first column. */
  heading: string;
  series: readonly ChartSeries[];
  /** In the order of time, unless `isRanked`. */
  columns: readonly ChartColumn[];
  isRanked?: boolean;
  /** The top of the scale, if the values do not make it. */
  largest?: number;
  shown?(value: number): string;
}

interface FrameProps extends ChartProps {
  ticks: readonly number[];
  /** What is drawn of all columns together, below what reacts to the pointer. */
  marks?: Children;
  /** What stands in a column above the part that reacts to the pointer. */
  inColumn(column: ChartColumn, index: number): Children;
}

/**
 * Scale, columns that lead to what they count and show their values under the pointer and at the keyboard, and a table of the same. All
 * places are percentages, so that words keep their size on a phone. One column is reached by Tab; arrow keys lead to the others.
 */
export function ChartFrame(props: FrameProps) {
  const { title, series, columns, ticks, marks, inColumn, shown = shownCount } = props;
  const top = ticks.at(-1) ?? 1;
  return (
    <figure class="chart">
      <Legend {...props} />
      <div class="chart-plot">
        <svg class="chart-scale" aria-hidden="true">
          {ticks.map((tick) => (
            <text class="tick" x="100%" y={percent(1 - tick / top)} dy="4" text-anchor="end">
              {tick >= COMPACT_FROM ? COMPACT.format(tick) : shown(tick)}
            </text>
          ))}
        </svg>
        <svg class="chart-area" aria-label={`${title}. The table below has the numbers.`}>
          {ticks.map((tick) => (
            <line class="grid" x1="0" x2="100%" y1={percent(1 - tick / top)} y2={percent(1 - tick / top)} />
          ))}
          {marks}
          {toldOf(columns).map(({ column, index }) => (
            <g class="column">
              <Hit {...column} name={nameOf(column, series, shown)} index={index} columns={columns.length} />
              {inColumn(column, index)}
              <AxisLabel {...column} index={index} columns={columns.length} />
            </g>
          ))}
        </svg>
      </div>
      <ChartTable {...props} />
    </figure>
  );
}

/** Columns with their places. Of a projection some tell enough: those that the axis names. */
const toldOf = (columns: readonly ChartColumn[]) =>
  columns
    .map((column, index) => ({ column, index }))
    .filter(({ column, index }) => !column.isProjected || isNamed(index, columns.length));

const isNamed = (index: number, columns: number): boolean =>
  (columns - 1 - index) % labelEvery(columns) === 0;

// Made once: `toLocaleString` makes one anew for each of the hundreds of values.
const COUNT = new Intl.NumberFormat('en-GB');
const shownCount = (value: number): string => COUNT.format(value);
const COMPACT_FROM = 10_000;
const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact' });

export const round = (value: number): number => Number(value.toFixed(2));
export const percent = (share: number): string => `${round(share * 100)}%`;
/** The middle of a column, from 0 to 1. */
export const xOf = (index: number, columns: number): number => (index + 0.5) / columns;

function Legend({ series, columns }: ChartProps) {
  const present = series.filter((_, index) => columns.some(({ values }) => (values[index] ?? 0) !== 0));
  if (series.length === 1 || present.length === 0) return null;
  return (
    <ul class="legend">
      {present.map(({ name, tone }) => (
        <li class={tone}>{name}</li>
      ))}
    </ul>
  );
}

interface Placed {
  index: number;
  columns: number;
}

type HitProps = Pick<ChartColumn, 'href' | 'label'> & Placed & { name: string };

/** The page's script shows its name, which has the values, beside it. */
const Hit = ({ href, label, name, index, columns }: HitProps) => (
  <a
    href={href}
    aria-label={name}
    tabindex={index === columns - 1 ? '0' : '-1'}
    data-column=""
    datetime={label instanceof Date ? label.toISOString() : undefined}
  >
    <rect class="hit" x={percent(index / columns)} width={percent(1 / columns)} />
  </a>
);

/** From the last column back, so that the newest is labelled. */
function AxisLabel({ label, tick, index, columns }: ChartColumn & Placed) {
  const every = labelEvery(columns);
  const fromEnd = columns - 1 - index;
  if (!isNamed(index, columns)) return null;
  const isCrowded = every > 1 && fromEnd === 0;
  const place = {
    class: fromEnd % (2 * every) === 0 ? 'tick' : 'tick wide',
    x: isCrowded ? '100%' : percent(xOf(index, columns)),
    y: '100%',
    dy: '18',
    'text-anchor': isCrowded ? 'end' : 'middle',
  };
  return label instanceof Date ? (
    <text {...place} datetime={label.toISOString()} data-moment="hour">
      {label.toISOString().slice(11, 16)}
    </text>
  ) : (
    <text {...place}>{tick ?? label}</text>
  );
}

/** As `ZonedTime` has it without the page's script, which puts the viewer's zone in the same places. */
const wordsOf = (label: string | Date): string =>
  label instanceof Date ? `${label.toISOString().slice(0, 16).replace('T', ' ')} UTC` : label;

/** What is 0 is not worth a line, unless all is. */
function linesOf(
  { values, total }: ChartColumn,
  series: ChartProps['series'],
  shown: (value: number) => string,
) {
  const said = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]));
  const some = said.filter(({ value }) => value !== 0);
  const lines = (some.length > 0 ? some : said.slice(0, 1)).map(
    ({ value, index }) => `${shown(value)} ${series[index]?.noun}`,
  );
  if (total !== undefined) return [total, ...(some.length > 0 ? lines : [])];
  return lines.length === 0 ? ['nothing to show'] : lines;
}

const nameOf = (column: ChartColumn, series: ChartProps['series'], shown: (value: number) => string) =>
  `${wordsOf(column.label)}: ${linesOf(column, series, shown).join(', ')}`;

/** Its numbers are set as such by the style sheet. */
function ChartTable({ title, heading, series, columns, isRanked = false, shown = shownCount }: ChartProps) {
  const cell = ({ values, hrefs = [] }: ChartColumn, index: number): Children => {
    const value = values[index] ?? null;
    if (value === null) return '–';
    // Of none there is nothing to list.
    return value === 0 || hrefs[index] === undefined ? (
      shown(value)
    ) : (
      <a href={hrefs[index]}>{shown(value)}</a>
    );
  };
  const told = toldOf(columns).map(({ column }) => column);
  return (
    <details id={`table-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`}>
      <summary>{`${title} as a table`}</summary>
      <DataTable
        caption={title}
        columns={[
          { title: heading, cell: (column) => <RowName {...column} /> },
          ...series.map(({ name }, index) => ({
            title: name,
            cell: (column: ChartColumn) => cell(column, index),
          })),
        ]}
        rows={isRanked ? told : told.toReversed()}
      />
    </details>
  );
}

/** Leads to what the row counts, unless one of its numbers does. A guess counts nothing. */
function RowName({ label, href, values, hrefs = [], isProjected = false }: ChartColumn) {
  const words = label instanceof Date ? <ZonedTime at={label} near /> : label;
  const isLinked = values.some((value, index) => value !== null && value !== 0 && hrefs[index] === href);
  return isProjected || isLinked ? words : <a href={href}>{words}</a>;
}
