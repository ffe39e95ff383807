import { ChartFrame, type ChartProps, percent, round, xOf } from './frame.tsx';
import { roundTicks, stackOf, strokesOf } from './scale.ts';

/** Stacked bars. A column leads to everything that it counts; the page's script has each part lead where its number in the table does. */
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
      inColumn={(_, column) =>
        parts[column]?.map(({ index, ...bar }) => <rect class={`mark ${series[index]?.tone}`} {...bar} />)
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
  const pointAt = (column: number, value: number): string =>
    `${round(100 * xOf(column, columns.length))} ${round(100 * (1 - value / top))}`;
  const lines = series.map(({ tone }, index) => {
    const strokes = strokesOf(columns.map(({ values }) => values[index] ?? null));
    return [false, true].map((isProjected) => {
      const path = strokes
        .filter(({ to }) => (columns[to]?.isProjected ?? false) === isProjected)
        .map(({ from, to, start, end }, at, all) => {
          const begin = all[at - 1]?.to === from ? '' : `M${pointAt(from, start)}`;
          return `${begin}L${pointAt(to, end)}`;
        });
      return (
        path.length > 0 && <path class={`mark ${tone}${isProjected ? ' projected' : ''}`} d={path.join('')} />
      );
    });
  });
  return (
    <ChartFrame
      {...props}
      ticks={ticks}
      marks={
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {lines}
        </svg>
      }
      inColumn={({ values }, column) =>
        values.map(
          (value, index) =>
            value !== null && (
              <circle
                class={`dot ${series[index]?.tone}`}
                cx={percent(xOf(column, columns.length))}
                cy={percent(1 - value / top)}
              />
            ),
        )
      }
    />
  );
}
