import { DataTable } from './dataTable.tsx';

/** One bar per period, in the order of time; or one per age, the youngest first. */
interface ChartBar {
  label: string;
  value: number;
}

const WIDTH = 720;
const HEIGHT = 160;
const GAP = 4;

const PERIODS = {
  day: { title: 'Day', each: 'a day' },
  month: { title: 'Month', each: 'a month' },
  age: { title: 'For how long', each: 'of one age' },
} as const;

interface BarChartProps {
  title: string;
  unit: string;
  period?: keyof typeof PERIODS;
  bars: readonly ChartBar[];
}

/** A bar chart as SVG from the server, with a table of the same numbers for screen readers and for copying. */
export function BarChart({ title, unit, period = 'day', bars }: BarChartProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${total} in all, at most ${most} ${PERIODS[period].each}. The table below has the numbers.`}
        preserveAspectRatio="none"
      >
        {barsOf(bars, most)}
      </svg>
      <figcaption class="hint chart-ends">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </figcaption>
      <details>
        <summary>{`${title} as a table`}</summary>
        <DataTable
          caption={title}
          columns={[
            { title: PERIODS[period].title, cell: ({ label }) => <span>{label}</span> },
            { title: unit, numeric: true, cell: ({ value }) => value },
          ]}
          rows={period === 'age' ? bars : bars.toReversed()}
        />
      </details>
    </figure>
  );
}

function barsOf(bars: readonly ChartBar[], most: number): JSX.Element[] {
  const step = WIDTH / Math.max(1, bars.length);
  return bars.map(({ value }, index) => {
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
  });
}

const round = (value: number): string => value.toFixed(1);
