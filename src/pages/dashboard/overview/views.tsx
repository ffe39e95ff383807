import { FirstPush } from '../../home/page.tsx';
import { Badge, FlashNote, LinkButton, Panel } from '../../kit/components.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import { CreditsLine } from '../credits/charts.tsx';
import { creditsSentence, shownNumber } from '../credits/words.ts';
import { CHARTS_UPDATED_MS, type Page, updatesItself } from '../layout.tsx';
import { OutcomesChart, SharesChart } from './charts.tsx';
import { Figures } from './figures.tsx';
import type { FirstStep } from './firstSteps.ts';
import type { OverviewPage } from './reads.ts';

/** What needs somebody first, then the figures, then charts: an owner sees in seconds whether all is well. */
export function overviewPage(visit: ShopVisit, overview: OverviewPage, seen: string): Page {
  const { month, credits, attention, steps } = overview;
  return {
    title: 'Overview',
    at: 'overview',
    live: { seen },
    children: (
      <>
        <div class="column" {...updatesItself(visit.to(''), 'now', ['credits-left'])}>
          <Attention visit={visit} attention={attention} isNew={steps.length > 0} />
          {steps.length > 0 && <FirstSteps visit={visit} steps={steps} />}
          <Figures visit={visit} overview={overview} />
        </div>
        <div class="column" {...updatesItself(visit.to(''), 'charts', [], CHARTS_UPDATED_MS)}>
          <Panel id="messages-chart" title="Messages per day">
            <OutcomesChart visit={visit} days={month.items} />
            <p class="hint">
              Days begin at midnight UTC. An outcome counts on the day it came; the list behind a bar holds
              the messages that were pushed that day.
            </p>
          </Panel>
          <div class="columns">
            <Panel id="shares" title="Delivered and opened">
              <SharesChart visit={visit} days={month.items} />
              <p class="hint">Delivered of the emails sent that day; opened of those delivered.</p>
            </Panel>
            <Panel id="credits" title="Credits">
              <div id="credits-left">
                <p class="big-figure">
                  <a href={visit.to('/credits')}>{shownNumber(credits.spendable)}</a>
                </p>
                <p>{creditsSentence(credits)}</p>
              </div>
              <CreditsLine visit={visit} spendable={credits.spendable} days={month.items} />
            </Panel>
          </div>
        </div>
      </>
    ),
  };
}

function Attention({
  visit,
  attention,
  isNew,
}: InShop<Pick<OverviewPage, 'attention'>> & { isNew: boolean }) {
  if (attention.length === 0)
    return isNew ? null : (
      <p class="badges">
        <Badge tone="good" text="All is well: nothing needs attention." />
      </p>
    );
  return (
    <section class="stack" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {attention.map(({ tone, message, page }) => (
        <FlashNote tone={tone} text={message} href={visit.to(page)} />
      ))}
    </section>
  );
}

function FirstSteps({ visit, steps }: { visit: ShopVisit; steps: readonly FirstStep[] }) {
  const isPushOpen = steps.some(({ name, done }) => name === 'push' && !done);
  return (
    <Panel id="first" title="First steps">
      <ol class="rows">
        {steps.map(({ done, message, at }) => (
          <li class="row">
            <span dir="auto">{message}</span>
            <span class="acts">
              {at !== null && visit.may(at.action) && (
                <LinkButton href={visit.to(at.below)} label={at.label} />
              )}
              <Badge tone={done ? 'good' : 'waiting'} text={done ? 'Done' : 'Open'} />
            </span>
          </li>
        ))}
      </ol>
      {isPushOpen && (
        <>
          <p>
            A WooCommerce, Shopify or Saleor store needs no program:{' '}
            <a href={visit.to('/connections')}>connect it</a>.
          </p>
          <p>
            Put an API key of the shop into <code>WAYPOST_API_KEY</code>, then run this.{' '}
            <a href={visit.site.to('/docs')}>The reference</a> explains every field.
          </p>
          <FirstPush site={visit.site} apiKey={null} />
        </>
      )}
    </Panel>
  );
}
