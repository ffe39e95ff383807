import { SECOND } from '../../../kit/clock.ts';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import { type Page, updatesItself } from '../../dashboard/layout.tsx';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { StackedBars } from '../../kit/charts/charts.tsx';
import { Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { OutboxReport, QueueReport } from './reads.ts';

const STATES = {
  held: 'Held: until its deadline, or until WhatsApp fails',
  queued: 'Queued',
  submitting: 'Being sent, or its answer was lost',
} as const;

export const outboxPage = ({ site }: Visit, report: OutboxReport, now: Date, seen: string): Page => ({
  operatorAt: 'outbox',
  title: 'Outbox',
  live: { seen },
  children: (
    <div class="column" {...updatesItself(site.to('/dashboard/operator/outbox'), 'waiting')}>
      <p class="hint">
        As of <ZonedTime at={now} exact />. <a href={site.to('/dashboard/operator/outbox')}>Look again</a>
      </p>
      <Queue
        id="sends"
        title="Messages to customers"
        noun="Messages"
        list="#states"
        queue={report.sends}
        now={now}
      />
      <Panel id="states" title="By state">
        <DataTable
          caption="What waits to be sent, by channel and state"
          none="The outbox is empty."
          columns={[
            { title: 'Channel', cell: ({ channel }) => CHANNEL_TITLES[channel] },
            { title: 'State', cell: ({ state }) => STATES[state] },
            { title: 'How many', numeric: true, cell: ({ count }) => shownNumber(count) },
          ]}
          rows={report.byState}
        />
      </Panel>
      <Queue
        id="deliveries"
        title="Webhook deliveries"
        noun="Deliveries"
        list="#deliveries"
        queue={report.deliveries}
        now={now}
      />
    </div>
  ),
});

interface QueueProps {
  id: string;
  title: string;
  noun: string;
  /** Where they are listed. */
  list: string;
  queue: QueueReport;
  now: Date;
}

function Queue({ id, title, noun, list, queue: { waiting, due, oldest, ages, isCut }, now }: QueueProps) {
  const figures = [
    ['Waiting', shownNumber(waiting), isCut ? 'or more: no more are counted' : 'also for a later time'],
    ['Due', shownNumber(due), 'should have gone out by now'],
    ['Lag', lagWords(oldest, now), oldest === null ? 'nothing is due' : <FirstDue at={oldest} />],
  ] as const;
  return (
    <Panel id={id} title={title}>
      <ul class="figures">
        {figures.map(([name, figure, hint]) => (
          <li>
            <span class="hint">{name}</span>
            <strong>{figure}</strong>
            <span class="hint">{hint}</span>
          </li>
        ))}
      </ul>
      {due > 0 && (
        <StackedBars
          title={`Due ${noun.toLowerCase()} by age`}
          heading="For how long"
          series={[{ name: noun, noun: noun.toLowerCase(), tone: 'main' }]}
          isRanked
          columns={ages.map(({ label, tick, count }) => ({ label, tick, href: list, values: [count] }))}
        />
      )}
    </Panel>
  );
}

const FirstDue = ({ at }: { at: Date }) => (
  <>
    the first was due <ZonedTime at={at} />
  </>
);

/** In the unit that says most. */
export function lagWords(oldest: Date | null, now: Date): string {
  const seconds = oldest === null ? 0 : Math.round((now.getTime() - oldest.getTime()) / SECOND);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
