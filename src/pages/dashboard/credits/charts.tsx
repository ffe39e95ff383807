import type { UsagePeriod } from '../../../contract/usage.ts';
import { DAY, later } from '../../../kit/clock.ts';
import { countryName } from '../../../kit/countryName.ts';
import { startOf } from '../../../usage/read.ts';
import { LineChart, StackedBars } from '../../kit/charts/charts.tsx';
import { shownDay, shownMonth } from '../../kit/charts/days.ts';
import type { InShop, ShopVisit } from '../context.ts';
import { burnDown } from './burnDown.ts';
import { type CreditsPage, creditsSpent, ledgerCursors, monthsBefore } from './reads.ts';

interface CreditsLineProps {
  visit: ShopVisit;
  spendable: number;
  /** The last 30 days, oldest first. */
  days: readonly (Pick<UsagePeriod, 'sms' | 'whatsapp'> & { period: string })[];
}

/** Credits left as a falling line, with the day they end. */
export function CreditsLine({ visit, spendable, days }: CreditsLineProps) {
  const spent = days.map((day) => ({ day: day.period, credits: creditsSpent(day) }));
  const { days: left, endsOn } = burnDown(spendable, spent);
  return (
    <>
      <LineChart
        title="Credits left"
        heading="Day"
        series={[{ name: 'Credits left', noun: 'credits', tone: 'main' }]}
        columns={left.map(({ day, left: credits, isProjected }) => {
          const href = isProjected ? visit.to('/credits') : ledgerBefore(visit, later(startOf(day), DAY));
          return {
            label: shownDay(day),
            href,
            values: [credits],
            isProjected,
            ...(!isProjected && { hrefs: [href] }),
          };
        })}
      />
      <p class="hint">
        {endsOn !== null && `At this rate the credits end on ${shownDay(endsOn)}. `}
        Before today the line is what is left and what was spent since, as if no credits had been added.
      </p>
    </>
  );
}

/** The ledger from its newest entry before a moment on. */
const ledgerBefore = (visit: ShopVisit, moment: Date): string =>
  `${visit.to('/credits')}?cursor=${ledgerCursors.before(moment)}#ledger`;

/** The ledger from the newest entry of a month such as `2026-08` on. */
export const ledgerOfMonth = (visit: ShopVisit, month: string): string =>
  ledgerBefore(visit, startOf(monthsBefore(`${month}-01`, -1)));

export const MonthsChart = ({ visit, months }: InShop<Pick<CreditsPage, 'months'>>) => (
  <StackedBars
    title="Credits spent per month"
    heading="Month"
    series={[
      { name: 'SMS', noun: 'for SMS', tone: 'main' },
      { name: 'WhatsApp', noun: 'for WhatsApp', tone: 'quiet' },
    ]}
    columns={months.map(({ month, sms, whatsapp }) => {
      const href = ledgerOfMonth(visit, month);
      return {
        label: shownMonth(month),
        tick: shownMonth(month).slice(0, 3),
        href,
        values: [sms, whatsapp],
        hrefs: [href, href],
      };
    })}
  />
);

const COUNTRIES_MAX = 7;

/** The countries that cost most; the table below the chart leads to months, and the ledger to messages. */
export const CountriesChart = ({ visit, months }: InShop<Pick<CreditsPage, 'months'>>) => {
  const href = visit.to('/credits#countries');
  return (
    <StackedBars
      title="Credits spent by country"
      heading="Country"
      series={[{ name: 'Credits', noun: 'credits', tone: 'main' }]}
      isRanked
      columns={costByCountry(months)
        .slice(0, COUNTRIES_MAX)
        .map(({ country, credits }) => ({
          label: country === null ? 'Not known' : countryName(country),
          tick: country ?? '–',
          href,
          values: [credits],
          hrefs: [href],
        }))}
    />
  );
};

/** Of all months: the most first, and last what was spent before countries were counted. */
export function costByCountry(months: CreditsPage['months']) {
  const sums = new Map<string | null, number>();
  for (const { countries } of months)
    for (const { country, credits } of countries) sums.set(country, credits + (sums.get(country) ?? 0));
  return [...sums]
    .map(([country, credits]) => ({ country, credits }))
    .sort((a, b) => Number(a.country === null) - Number(b.country === null) || b.credits - a.credits);
}
