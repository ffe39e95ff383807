import { Badge, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { EndpointActions } from './actionViews.tsx';
import { DeliveriesPanel } from './deliveries.tsx';
import { shownDuration, successRate, testWords } from './health.ts';
import { daySentence, eventsTaken, HealthReasons, shownUrl } from './parts.tsx';
import type { DeliveriesFilter, EndpointPage } from './reads.ts';

interface EndpointProps {
  site: Site;
  visit: ShopVisit;
  page: EndpointPage;
  filter: DeliveriesFilter;
  flash: Flash | null;
  now: Date;
}

export function endpointPage(props: EndpointProps): string {
  const { site, visit, page, flash } = props;
  const { endpoint, health } = page;
  return dashboardPage({
    site,
    title: 'Webhook endpoint',
    visit,
    at: 'webhooks',
    children: (
      <>
        {flash && <FlashNote {...flash} />}
        <header class="endpoint-head">
          <h1 class="endpoint-url" dir="auto">
            {shownUrl(visit.role, endpoint.url)}
          </h1>
          <p class="badges">
            <Badge tone={health.tone} text={health.label} />
          </p>
          {endpoint.description !== '' && (
            <p class="hint" dir="auto">
              {endpoint.description}
            </p>
          )}
        </header>
        <HealthReasons health={health} />
        <div class="columns">
          <div class="column">
            <DayPanel page={page} />
            <SetupPanel {...props} />
          </div>
          <EndpointActions site={site} visit={visit} endpoint={endpoint} />
        </div>
        <DeliveriesPanel site={site} visit={visit} page={page} filter={props.filter} />
      </>
    ),
  });
}

function DayPanel({ page: { day } }: { page: EndpointPage }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="day">
      <h2 id="day">The last day</h2>
      <ul class="figures">
        <li>
          <span class="hint">Success rate</span>
          <strong>{successRate(day)}</strong>
        </li>
        <li>
          <span class="hint">Answer time (p95)</span>
          <strong>{day.p95_ms === null ? '–' : shownDuration(day.p95_ms)}</strong>
        </li>
      </ul>
      <p class="hint">{daySentence(day)}</p>
    </section>
  );
}

function SetupPanel({ page: { endpoint, ping }, now }: EndpointProps): JSX.Element {
  const switches = endpoint.secret_switches_at;
  return (
    <section class="panel" aria-labelledby="setup">
      <h2 id="setup">How it is set up</h2>
      <dl class="answers">
        <div>
          <dt>Events</dt>
          <dd>
            <span>{eventsTaken(endpoint.event_types)}</span>
            {endpoint.event_types.length > 1 && (
              <span class="hint">{`: ${endpoint.event_types.join(', ')}`}</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Secret</dt>
          <dd>
            <code>{endpoint.secret}</code>
            {switches !== null && switches > now && (
              <>
                {' '}
                signs from <ZonedTime at={switches.toISOString()} /> on; until then the one before it does,
                and your server must accept both.
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Last delivery that arrived</dt>
          <dd>
            {endpoint.last_success_at === null ? (
              'None yet'
            ) : (
              <ZonedTime at={endpoint.last_success_at.toISOString()} />
            )}
          </dd>
        </div>
        <div>
          <dt>Last test</dt>
          <dd>
            {ping === null ? (
              'None yet'
            ) : (
              <>
                <ZonedTime at={ping.at.toISOString()} />: <span>{testWords(ping).text}</span>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Added</dt>
          <dd>
            <ZonedTime at={endpoint.created_at.toISOString()} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
