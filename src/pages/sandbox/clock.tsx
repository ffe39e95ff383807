import { ZonedTime } from '../kit/components.tsx';
import { addressInSandbox } from './location.ts';
import { DoButton } from './parts.tsx';
import type { SandboxPageProps } from './reads.ts';
import type { UpcomingRow } from './sql.ts';
import { spanOf, upcomingOf } from './words.ts';

const JUMPS: readonly (readonly [id: string, values: Record<string, string>, label: string])[] = [
  ['five-minutes', { advance_seconds: '300' }, '+5 minutes'],
  ['one-hour', { advance_seconds: '3600' }, '+1 hour'],
  ['one-day', { advance_seconds: '86400' }, '+1 day'],
  ['next', { next: 'due' }, 'To the next thing that is due'],
];

/** The sandbox's time, buttons to move it, and the next due work. */
export function ClockStrip({ site, place, clock, view }: SandboxPageProps) {
  const [next, ...later] = view.upcoming;
  const ahead = clock.offsetSeconds;
  return (
    <section class="clock" id="clock" aria-label="Clock">
      <div class="now">
        <span class="face" aria-hidden="true" />
        <span>
          <strong data-clock={clock.now.toISOString()}>
            <ZonedTime at={clock.now} />
          </strong>
          <small data-region id="clock-ahead">
            {ahead === 0 ? 'in step with the real time' : `${spanOf(ahead)} ahead of the real time`}
          </small>
        </span>
      </div>
      <div class="jumps" data-region id="jumps">
        {JUMPS.map(([id, values, label]) => (
          <DoButton
            id={`clock-${id}`}
            action={addressInSandbox(site, '/sandbox/clock', place)}
            values={values}
            label={label}
          />
        ))}
      </div>
      <div class="upcoming" data-region id="upcoming">
        {next === undefined ? (
          <p class="hint">Nothing waits for its time.</p>
        ) : (
          <details>
            <summary>
              <span class="label">Next</span> <Upcoming row={next} />
            </summary>
            <ol>
              {later.map((row) => (
                <li>
                  <Upcoming row={row} />
                </li>
              ))}
            </ol>
            {later.length === 0 && <p class="hint">Nothing else waits.</p>}
          </details>
        )}
      </div>
    </section>
  );
}

const Upcoming = ({ row }: { row: UpcomingRow }) => (
  <>
    <span class="left" data-until={row.due_at.toISOString()} /> <ZonedTime at={row.due_at} /> ·{' '}
    {upcomingOf(row)}
  </>
);
