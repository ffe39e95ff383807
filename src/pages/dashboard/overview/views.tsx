import type { UsagePeriod } from '../../../contract/usage.ts';
import { FirstPush } from '../../home/page.tsx';
import { BarChart } from '../../kit/barChart.tsx';
import { Badge, FlashNote, LinkButton, Panel } from '../../kit/components.tsx';
import type { ShopVisit } from '../context.ts';
import { creditsSentence, shownNumber } from '../credits/words.ts';
import type { Page } from '../layout.tsx';
import type { FirstStep } from './firstSteps.ts';
import type { Overview } from './reads.ts';

export function overviewPage(visit: ShopVisit, overview: Overview): Page {
  const { today, month, credits, attention, steps } = overview;
  return {
    title: 'Overview',
    at: 'overview',
    children: (
      <>
        {attention.length > 0 && (
          <section class="stack" aria-labelledby="attention">
            <h2 id="attention">Needs attention</h2>
            {attention.map(({ tone, message, page }) => (
              <FlashNote tone={tone} text={message} href={visit.to(page)} />
            ))}
          </section>
        )}
        {steps.length > 0 && <FirstSteps visit={visit} steps={steps} />}
        <Panel id="figures" title="Today and the last 30 days">
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
        </Panel>
        <div class="columns">
          <Panel id="messages-chart" title="Messages per day">
            <BarChart
              title="Messages per day"
              unit="Messages"
              bars={month.items.map(({ period, messages }) => ({ label: period, value: messages }))}
            />
          </Panel>
          <Panel id="credits" title="Credits">
            <p class="big-figure">{shownNumber(credits.spendable)}</p>
            <p>{creditsSentence(credits)}</p>
          </Panel>
        </div>
      </>
    ),
  };
}

const FIGURES: readonly { title: string; of(period: UsagePeriod): number }[] = [
  { title: 'Messages', of: ({ messages }) => messages },
  { title: 'Emails delivered', of: ({ email }) => email.delivered },
  { title: 'Opened', of: ({ email }) => email.opened },
  { title: 'SMS and WhatsApp sent', of: ({ sms, whatsapp }) => sms.sent + whatsapp.sent },
  {
    title: 'SMS and WhatsApp avoided',
    of: ({ avoided }) => avoided.opened_first + avoided.whatsapp_sufficed + avoided.retracted,
  },
];

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
            Put an API key of the shop into <code>WAYPOST_KEY</code>, then run this.{' '}
            <a href={visit.site.to('/docs')}>The reference</a> explains every field.
          </p>
          <FirstPush site={visit.site} apiKey={null} />
        </>
      )}
    </Panel>
  );
}
