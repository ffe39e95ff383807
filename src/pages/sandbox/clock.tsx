import type { Site } from '../kit/page.tsx';
import type { ClockState } from './deps.ts';
import { addressOf, type SandboxLocation } from './location.ts';
import { DoButton, LocalTime } from './parts.tsx';
import type { UpcomingRow } from './sql.ts';
import { spanOf, upcomingOf } from './words.ts';

interface ClockProps {
  site: Site;
  place: SandboxLocation;
  clock: ClockState;
  upcoming: readonly UpcomingRow[];
}

const JUMPS: readonly (readonly [id: string, seconds: number, label: string])[] = [
  ['five-minutes', 300, '+5 minutes'],
  ['one-hour', 3_600, '+1 hour'],
  ['one-day', 86_400, '+1 day'],
];

/** The sandbox's time, buttons to move it, and the next due work. */
export function ClockStrip({ site, place, clock, upcoming }: ClockProps): JSX.Element {
  const action = addressOf(site, '/sandbox/clock', place);
  const [next] = upcoming;
  return (
    <section class="clock" id="clock" aria-label="Clock">
      <div class="now">
        <span class="face" aria-hidden="true" />
        <span>
          <strong data-clock={clock.now.toISOString()}>
            <LocalTime at={clock.now} />
          </strong>
          <small data-region id="clock-ahead">
            {clock.offsetSeconds === 0 ? (
              'in step with the real time'
            ) : (
              <>
                <span>{spanOf(clock.offsetSeconds)}</span> ahead of the real time
              </>
            )}
          </small>
        </span>
      </div>
      <div class="jumps" data-region id="jumps">
        {JUMPS.map(([id, seconds, label]) => (
          <DoButton
            id={`clock-${id}`}
            action={action}
            values={{ advance_seconds: String(seconds) }}
            label={label}
          />
        ))}
        <DoButton
          id="clock-next"
          action={action}
          values={{ next: 'due' }}
          label="To the next thing that is due"
        />
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
              {upcoming.slice(1).map((row) => (
                <li>
                  <Upcoming row={row} />
                </li>
              ))}
            </ol>
            {upcoming.length === 1 && <p class="hint">Nothing else waits.</p>}
          </details>
        )}
      </div>
    </section>
  );
}

function Upcoming({ row }: { row: UpcomingRow }): JSX.Element {
  return (
    <>
      <span class="left" data-until={row.due_at.toISOString()} /> <LocalTime at={row.due_at} /> ·{' '}
      <span>{upcomingOf(row)}</span>
    </>
  );
}
