import type { UsagePeriod } from '../../../contract/usage.ts';
import { LineChart, StackedBars } from '../../kit/charts/charts.tsx';
import { shownDay } from '../../kit/charts/days.ts';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { messagesPath } from '../messages/filters.tsx';
import type { MessagesFilter } from '../messages/query.ts';
import { shareOf, underWay } from './series.ts';

interface DaysProps {
  visit: ShopVisit;
  /** Oldest first. */
  days: readonly (UsagePeriod & { period: string })[];
}

/** Each email outcome with its filter: a message has one email. */
const OUTCOMES = [
  { name: 'Delivered', noun: 'delivered', tone: 'main', filter: 'delivered' },
  { name: 'Under way', noun: 'under way', tone: 'quiet', filter: 'under_way' },
  { name: 'Not sent', noun: 'not sent', tone: 'waiting', filter: 'not_sent' },
  { name: 'Failed', noun: 'failed', tone: 'worse', filter: 'failed' },
  { name: 'Bounced', noun: 'bounced', tone: 'bad', filter: 'bounced' },
] as const;

export function OutcomesChart({ visit, days }: DaysProps) {
  const open = underWay(days);
  return (
    <StackedBars
      title="Messages per day"
      heading="Day"
      series={OUTCOMES}
      columns={days.map(({ period, messages, email }, index) => {
        const { delivered, not_sent, failed, bounced } = email;
        return {
          label: shownDay(period),
          href: visit.to(pathOf(period)),
          total: messages === 1 ? '1 message' : `${shownNumber(messages)} messages`,
          values: [delivered, open[index] ?? 0, not_sent, failed, bounced],
          hrefs: OUTCOMES.map(({ filter }) => visit.to(pathOf(period, filter))),
        };
      })}
    />
  );
}

const SHARES = [
  { name: 'Delivered', noun: 'delivered', tone: 'main', filter: 'delivered' },
  { name: 'Opened', noun: 'opened', tone: 'quiet', filter: 'opened' },
] as const;

export const SharesChart = ({ visit, days }: DaysProps) => (
  <LineChart
    title="Share delivered and opened"
    heading="Day"
    series={SHARES}
    largest={100}
    shown={(share) => `${share}%`}
    columns={days.map(({ period, email: { sent, delivered, opened } }) => ({
      label: shownDay(period),
      href: visit.to(pathOf(period)),
      values: [shareOf(delivered, sent), shareOf(opened, delivered)],
      hrefs: SHARES.map(({ filter }) => visit.to(pathOf(period, filter))),
    }))}
  />
);

/** The messages of a day, with one outcome or any. */
const pathOf = (day: string, email: MessagesFilter['email'] = null): string =>
  messagesPath({ from: day, to: day, email });
