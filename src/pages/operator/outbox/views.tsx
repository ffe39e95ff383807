import { SECOND } from '../../../kit/clock.ts';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { BarChart } from '../../kit/barChart.tsx';
import { ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Site } from '../../kit/page.tsx';
import { CHANNEL_WORDS } from '../words.tsx';
import type { OutboxReport, QueueReport } from './reads.ts';

interface OutboxProps {
  site: Site;
  visit: Visit;
  report: OutboxReport;
  now: Date;
}

const STATES = {
  held: 'Held: until its deadline, or until WhatsApp fails',
  queued: 'Queued',
  submitting: 'Being sent, or its answer was lost',
} as const;

export function outboxPage({ site, visit, report, now }: OutboxProps): string {
  const { sends, deliveries, byState } = report;
  return dashboardPage({
    site,
    title: 'Outbox',
    visit,
    operatorAt: 'outbox',
    children: (
      <>
        <h1>Outbox</h1>
        <p class="hint">
          As of <ZonedTime at={now.toISOString()} />.{' '}
          <a href={site.to('/dashboard/operator/outbox')}>Look again</a>
        </p>
        <Queue id="sends" title="Messages to customers" noun="Messages" queue={sends} now={now} />
        <section class="panel" aria-labelledby="states">
          <h2 id="states">By state</h2>
          {byState.length === 0 ? (
            <p class="hint">The outbox is empty.</p>
          ) : (
            <DataTable
              caption="What waits to be sent, by channel and state"
              columns={[
                { title: 'Channel', cell: ({ channel }) => <span>{CHANNEL_WORDS[channel]}</span> },
                { title: 'State', cell: ({ state }) => <span>{STATES[state]}</span> },
                {
                  title: 'How many',
                  numeric: true,
                  cell: ({ count }) => <span>{shownNumber(count)}</span>,
                },
              ]}
              rows={byState}
            />
          )}
        </section>
        <Queue id="deliveries" title="Webhook deliveries" noun="Deliveries" queue={deliveries} now={now} />
      </>
    ),
  });
}

function Queue({
  id,
  title,
  noun,
  queue,
  now,
}: {
  id: string;
  title: string;
  noun: string;
  queue: QueueReport;
  now: Date;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="figures">
        <li>
          <span class="hint">Waiting</span>
          <strong>{shownNumber(queue.waiting)}</strong>
          <span class="hint">{queue.isCut ? 'or more: no more are counted' : 'also for a later time'}</span>
        </li>
        <li>
          <span class="hint">Due</span>
          <strong>{shownNumber(queue.due)}</strong>
          <span class="hint">should have gone out by now</span>
        </li>
        <li>
          <span class="hint">Lag</span>
          <strong>{lagWords(queue.oldest, now)}</strong>
          <span class="hint">
            {queue.oldest === null ? (
              'nothing is due'
            ) : (
              <>
                the first was due <ZonedTime at={queue.oldest.toISOString()} />
              </>
            )}
          </span>
        </li>
      </ul>
      {queue.due > 0 && (
        <BarChart title={`Due ${noun.toLowerCase()} by age`} unit={noun} period="age" bars={queue.ages} />
      )}
    </section>
  );
}

/** In the unit that says most. */
export function lagWords(oldest: Date | null, now: Date): string {
  const seconds = oldest === null ? 0 : Math.round((now.getTime() - oldest.getTime()) / SECOND);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
