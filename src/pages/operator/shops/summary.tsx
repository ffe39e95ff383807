import { MINUTE } from '../../../kit/clock.ts';
import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { StackedBars } from '../../kit/charts/charts.tsx';
import { shownDay } from '../../kit/charts/days.ts';
import { Panel, ZonedTime } from '../../kit/components.tsx';
import { lagWords } from '../outbox/views.tsx';
import type { ChannelsReport } from '../providers/reads.ts';
import type { ShopTotals } from './totals.ts';

/** How everything is. */
export interface ServiceState {
  /** Null: they are being counted. */
  totals: ShopTotals | null;
  providers: ChannelsReport;
  /** When the longest-waiting message became due; null: nothing is due. */
  oldestDue: Date | null;
}

interface SummaryProps {
  visit: Visit;
  state: ServiceState;
  now: Date;
}

/** What all shops did in a month, and whether messages go out. */
export const Summary = ({ visit: { site }, state: { totals, providers, oldestDue }, now }: SummaryProps) => (
  <Panel id="all" title="All shops, the last 30 days">
    {totals === null ? (
      <p class="hint">The messages of all shops are being counted. Look again in a moment.</p>
    ) : (
      <Totals {...totals} shops={`${site.to('/dashboard/operator')}#listed`} />
    )}
    <ul class="rows service-state">
      <StateLine
        href={site.to('/dashboard/operator/outbox')}
        name="Outbox"
        {...outboxState(oldestDue, now)}
      />
      <StateLine
        href={site.to('/dashboard/operator/providers')}
        name="Providers"
        {...providersState(providers)}
      />
    </ul>
  </Panel>
);

/** No list holds the messages of all shops, so a day leads to the shops. */
const Totals = ({ at, days, total, sold, shops }: ShopTotals & { shops: string }) => (
  <>
    <div class="totals">
      <ul class="figures">
        {figuresOf(total, sold).map(([name, figure, hint]) => (
          <li>
            <span class="hint">{name}</span>
            <strong>{figure}</strong>
            <span class="hint">{hint}</span>
          </li>
        ))}
      </ul>
      <StackedBars
        title="Messages of all shops"
        heading="Day"
        series={[{ name: 'Messages', noun: 'messages', tone: 'main' }]}
        columns={days.map(({ day, messages }) => ({ label: shownDay(day), href: shops, values: [messages] }))}
      />
    </div>
    <p class="hint">
      As of <ZonedTime at={at} near />. Days begin at midnight UTC.
    </p>
  </>
);

const figuresOf = ({ messages, emails, delivered, paid, credits }: ShopTotals['total'], sold: number) =>
  [
    ['Messages', shownNumber(messages), 'pushed'],
    ['Emails delivered', shareOf(delivered, emails), `${shownNumber(delivered)} of ${shownNumber(emails)}`],
    ['SMS and WhatsApp', shownNumber(paid), 'sent'],
    ['Credits sold', shownNumber(sold), `${shownNumber(credits)} spent`],
  ] as const;

/** Never rounded up: only all of them are 100%. */
const shareOf = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.floor((part * 1_000) / whole) / 10}%`;

interface LineState {
  tone: 'plain' | 'waiting' | 'bad';
  text: string;
}

const StateLine = ({ href, name, tone, text }: LineState & { href: string; name: string }) => (
  <li>
    <a href={href}>{name}</a> <span class={`state ${tone}`}>{text}</span>
  </li>
);

/** Less than this is the time that sending takes. */
const LATE_MS = MINUTE;

function outboxState(oldestDue: Date | null, now: Date): LineState {
  if (oldestDue === null || now.getTime() - oldestDue.getTime() < LATE_MS)
    return { tone: 'plain', text: 'Nothing is late.' };
  return { tone: 'bad', text: `The first message is late by ${lagWords(oldestDue, now)}.` };
}

function providersState({ channels, sentences, knowsWorkers }: ChannelsReport): LineState {
  const paused = channels.filter(({ isPaused }) => isPaused).map(({ channel }) => CHANNEL_TITLES[channel]);
  if (paused.length > 0) return { tone: 'bad', text: `No message goes out by ${paused.join(', ')}.` };
  if (sentences.length > 0)
    return { tone: 'waiting', text: `${sentences.length} to put right. Messages go out.` };
  return knowsWorkers
    ? { tone: 'plain', text: 'Messages go out.' }
    : { tone: 'plain', text: 'The workers are other programs: look at their /readyz.' };
}
