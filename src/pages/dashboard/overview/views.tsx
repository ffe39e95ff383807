import type { UsagePeriod } from '../../../contract/usage.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { FirstPush } from '../../home/page.tsx';
import { BarChart } from '../../kit/barChart.tsx';
import { Badge, FlashNote } from '../../kit/components.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { creditsSentence, shownNumber } from '../credits/words.ts';
import { dashboardPage } from '../layout.tsx';
import type { FirstStep } from './firstSteps.ts';
import type { Overview } from './reads.ts';

export function overviewPage(site: Site, visit: ShopVisit, overview: Overview): string {
  const { today, month, credits, attention, steps } = overview;
  return dashboardPage({
    site,
    title: 'Overview',
    visit,
    at: 'overview',
    children: (
      <>
        <h1>Overview</h1>
        {attention.length > 0 && (
          <section class="stack" aria-labelledby="attention">
            <h2 id="attention">Needs attention</h2>
            {attention.map(({ tone, says, page }) => (
              <FlashNote tone={tone} text={says} href={site.to(`/dashboard/${visit.shop.id}${page}`)} />
            ))}
          </section>
        )}
        {steps.length > 0 && <FirstSteps site={site} visit={visit} steps={steps} />}
        <section class="panel" aria-labelledby="figures">
          <h2 id="figures">Today and the last 30 days</h2>
          <ul class="figures">
            {FIGURES.map(({ title, of }) => (
              <li>
                <span class="hint">{title}</span>
                <strong>{shownNumber(of(today))}</strong>
                <span class="hint">{`${shownNumber(of(month.total))} in 30 days`}</span>
              </li>
            ))}
          </ul>
          <p class="hint">Days begin at midnight UTC.</p>
        </section>
        <div class="columns">
          <section class="panel" aria-labelledby="messages-chart">
            <h2 id="messages-chart">Messages per day</h2>
            <BarChart
              title="Messages per day"
              unit="Messages"
              bars={month.items.map(({ period, messages }) => ({ label: period, value: messages }))}
            />
          </section>
          <section class="panel" aria-labelledby="credits">
            <h2 id="credits">Credits</h2>
            <p class="big-figure">{shownNumber(credits.spendable)}</p>
            <p>{creditsSentence(credits)}</p>
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

function FirstSteps({
  site,
  visit,
  steps,
}: {
  site: Site;
  visit: ShopVisit;
  steps: readonly FirstStep[];
}): JSX.Element {
  const isPushOpen = steps.some(({ name, done }) => name === 'push' && !done);
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">First steps</h2>
      <ol class="rows">
        {steps.map(({ done, says, at }) => (
          <li class="row">
            <span dir="auto">{says}</span>
            <span class="acts">
              {at !== null && isAllowed(visit.role, at.action) && (
                <a class="button quiet" href={site.to(`/dashboard/${visit.shop.id}${at.below}`)}>
                  {at.label}
                </a>
              )}
              <Badge tone={done ? 'good' : 'waiting'} text={done ? 'Done' : 'Open'} />
            </span>
          </li>
        ))}
      </ol>
      {isPushOpen && (
        <>
          <p>
            Put an API key of the shop into <code>WAYPOST_KEY</code>, then run this.{' '}
            <a href={site.to('/docs')}>The reference</a> explains every field.
          </p>
          <FirstPush site={site} apiKey={null} />
        </>
      )}
    </section>
  );
}
