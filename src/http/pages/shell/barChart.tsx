import { DataTable } from './dataTable.tsx';

/** One bar per period, in the order of time. */
export interface ChartBar {
  label: string;
  value: number;
}

const WIDTH = 720;
const HEIGHT = 160;
const GAP = 4;

/** A bar chart as SVG from the server, with a table of the same numbers for screen readers and for copying. */
export function BarChart({
  title,
  unit,
  bars,
}: {
  title: string;
  unit: string;
  bars: readonly ChartBar[];
}): JSX.Element {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = WIDTH / Math.max(1, bars.length);
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${total} in all, at most ${most} a day. The table below has the numbers.`}
        preserveAspectRatio="none"
      >
        {bars.map(({ value }, index) => {
          const height = value === 0 ? 2 : Math.max(4, Math.round((value / most) * HEIGHT));
          return (
            <rect
              class={value === 0 ? 'none' : 'bar-value'}
              x={round(index * step + GAP / 2)}
              y={HEIGHT - height}
              width={round(step - GAP)}
              height={height}
              rx="2"
            />
          );
        })}
      </svg>
      <figcaption class="hint chart-ends">
        <span safe>{bars[0]?.label ?? ''}</span>
        <span safe>{bars.at(-1)?.label ?? ''}</span>
      </figcaption>
      <details>
        <summary safe>{`${title} as a table`}</summary>
        <DataTable
          caption={title}
          columns={[
            { title: 'Day', cell: ({ label }) => <span safe>{label}</span> },
            { title: unit, numeric: true, cell: ({ value }) => <>{value}</> },
          ]}
          rows={bars.toReversed()}
        />
      </details>
    </figure>
  );
}

const round = (value: number): string => value.toFixed(1);
