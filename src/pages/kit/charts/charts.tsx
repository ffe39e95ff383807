import { ChartFrame, type ChartProps, percent, xOf } from './frame.tsx';
import { roundTicks, stackOf, strokesOf } from './scale.ts';

/** Stacked bars. A part links to what it counts, and the rest of a column to everything that it counts. */
export function StackedBars(props: ChartProps) {
  const { columns, series, largest } = props;
  const stacks = columns.map(({ values }) => stackOf(values));
  const ticks = roundTicks(largest ?? Math.max(0, ...stacks.map((stack) => stack.at(-1)?.to ?? 0)));
  const top = ticks.at(-1) ?? 1;
  const parts = stacks.map((stack, column) =>
    stack.map(({ index, from, to }) => ({ index, ...barAt(column, columns.length, from / top, to / top) })),
  );
  return (
    <ChartFrame
      {...props}
      ticks={ticks}
      marks={parts.flat().map(({ index, ...bar }) => <rect class={`mark ${series[index]?.tone}`} {...bar} />)}
      inColumn={({ hrefs = [] }, column) =>
        parts[column]?.map(
          ({ index, ...bar }) =>
            hrefs[index] !== undefined && (
              <a href={hrefs[index]} tabindex="-1">
                <rect class="hit" {...bar} />
              </a>
            ),
        )
      }
    />
  );
}

const BAR_SHARE = 0.72;
const BAR_MAX = 0.07;
/** The least height, so that a small value can be seen. */
const BAR_MIN = 0.012;

function barAt(column: number, columns: number, from: number, to: number) {
  const width = Math.min(BAR_SHARE / columns, BAR_MAX);
  return {
    x: percent(xOf(column, columns) - width / 2),
    y: percent(Math.min(1 - to, 1 - BAR_MIN)),
    width: percent(width),
    height: percent(Math.max(to - from, BAR_MIN)),
  };
}

/** A line per series, dashed where it is a projection, and broken where nothing is known. */
export function LineChart(props: ChartProps) {
  const { columns, series, largest } = props;
  const known = columns.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const ticks = roundTicks(largest ?? Math.max(0, ...known));
  const top = ticks.at(-1) ?? 1;
  const lines = series.map(({ tone }, index) =>
    strokesOf(columns.map(({ values }) => values[index] ?? null)).map(({ from, to, start, end }) => (
      <line
        class={`mark ${tone}${columns[to]?.isProjected ? ' projected' : ''}`}
        x1={percent(xOf(from, columns.length))}
        y1={percent(1 - start / top)}
        x2={percent(xOf(to, columns.length))}
        y2={percent(1 - end / top)}
      />
    )),
  );
  return (
    <ChartFrame
      {...props}
      ticks={ticks}
      marks={lines}
      inColumn={({ values }, column) =>
        values.map(
          (value, index) =>
            value !== null && (
              <circle
                class={`dot ${series[index]?.tone}`}
                cx={percent(xOf(column, columns.length))}
                cy={percent(1 - value / top)}
                r="4"
              />
            ),
        )
      }
    />
  );
}
