import type { UsagePeriod } from '../../../../contract/usage.ts';
import type { Overview } from '../../../../dashboard/overview.ts';
import { FirstPush } from '../../home/page.tsx';
import { BarChart } from '../../shell/barChart.tsx';
import { FlashNote } from '../../shell/components.tsx';
import type { Site } from '../../shell/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from './layout.tsx';

export function overviewPage(site: Site, visit: ShopVisit, overview: Overview): string {
  const { today, month, credits, attention } = overview;
  return dashboardPage({
    site,
    title: 'Overview',
    visit,
    at: 'overview',
    children: (
      <>
        <h1>Overview</h1>
        {attention.length === 0 ? (
          ''
        ) : (
          <section class="stack" aria-labelledby="attention">
            <h2 id="attention">Needs attention</h2>
            {attention.map(({ tone, says }) => (
              <FlashNote tone={tone} text={says} />
            ))}
          </section>
        )}
        {month.total.messages === 0 ? <FirstSteps site={site} /> : ''}
        <section class="panel" aria-labelledby="figures">
          <h2 id="figures">Today and the last 30 days</h2>
          <ul class="figures">
            {FIGURES.map(({ title, of }) => (
              <li>
                <span class="hint" safe>
                  {title}
                </span>
                <strong safe>{shown(of(today))}</strong>
                <span class="hint" safe>
                  {`${shown(of(month.total))} in 30 days`}
                </span>
              </li>
            ))}
          </ul>
          <p class="hint">Days begin at midnight UTC.</p>
        </section>
        <div class="columns">
          <section class="panel" aria-labelledby="messages-chart">
            <h2 id="messages-chart">Messages a day</h2>
            <BarChart
              title="Messages a day"
              unit="Messages"
              bars={month.items.map(({ period, messages }) => ({ label: period, value: messages }))}
            />
          </section>
          <section class="panel" aria-labelledby="credits">
            <h2 id="credits">Credits</h2>
            <p class="big-figure" safe>
              {shown(credits.spendable)}
            </p>
            <p safe>{creditsSentence(credits)}</p>
          </section>
        </div>
      </>
    ),
  });
}

const FIGURES: readonly { title: string; of(period: UsagePeriod): number }[] = [
  { title: 'Messages', of: ({ messages }) => messages },
  { title: 'Emails delivered', of: ({ email }) => email.delivered },
  { title: 'Opened', of: ({ email }) => email.opened },
  { title: 'Texts and WhatsApp sent', of: ({ sms, whatsapp }) => sms.sent + whatsapp.sent },
  {
    title: 'Texts and WhatsApp avoided',
    of: ({ avoided }) => avoided.opened_first + avoided.whatsapp_sufficed + avoided.retracted,
  },
];

const shown = (value: number): string => value.toLocaleString('en-GB');

const YEAR_DAYS = 365;

function creditsSentence({ setAside, daysLeft }: Overview['credits']): string {
  const aside = setAside === 0 ? '' : ` ${shown(setAside)} more are set aside for messages that are queued.`;
  if (daysLeft === null) return `left. None were spent in the last 30 days.${aside}`;
  const days =
    daysLeft > YEAR_DAYS
      ? 'more than a year'
      : daysLeft === 0
        ? 'less than a day'
        : daysLeft === 1
          ? 'a day'
          : `${daysLeft} days`;
  return `left, for ${days} at the rate of the last 30 days.${aside}`;
}

function FirstSteps({ site }: { site: Site }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">Push your first message</h2>
      <p>
        Put an API key of the shop into <code>WAYPOST_KEY</code>, then run this.{' '}
        <a href={site.to('/docs')}>The reference</a> explains every field.
      </p>
      <FirstPush site={site} apiKey={null} />
    </section>
  );
}
