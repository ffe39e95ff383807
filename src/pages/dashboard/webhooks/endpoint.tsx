import { Badge, type BadgeTone, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { dashboardPage } from '../layout.tsx';
import { EndpointActs } from './actionViews.tsx';
import { DeliveriesPanel } from './deliveries.tsx';
import { shownDuration, successRate, testWords } from './health.ts';
import { daySentence, eventsTaken, HealthReasons, shownUrl } from './parts.tsx';
import type { DeliveriesFilter, EndpointPage } from './reads.ts';

/** What an act just did; the address of the page names it. */
const DID = {
  types_changed: ['good', 'The events were changed. What is queued already is still sent.'],
  types_same: ['waiting', 'Nothing was changed: the endpoint takes these events already.'],
  enabled: [
    'good',
    'The endpoint is on again and gets the next events. Now send what it missed: “Send a time window again”.',
  ],
  enabled_before: ['waiting', 'Nothing was changed: the endpoint was on already.'],
  disabled: ['good', 'The endpoint was switched off. What was queued for it was called off.'],
  disabled_before: ['waiting', 'Nothing was changed: the endpoint was off already.'],
  test_limited: ['waiting', 'No test was sent: this endpoint was tested too often. Wait a minute.'],
  rotated_before: [
    'waiting',
    'The secret was changed by this form already, and shown then. Make another one if nobody saved it.',
  ],
  in_progress: ['waiting', 'This is being done already. Look again in a moment.'],
  replayed_none: ['waiting', 'Nothing was left to send.'],
} as const satisfies Record<string, readonly [BadgeTone, string]>;
type FixedDid = keyof typeof DID;
const isFixed = (name: string | undefined): name is FixedDid =>
  name !== undefined && Object.hasOwn(DID, name);

/** The result of a test, or how many events were queued, is told with it. */
export type DidToEndpoint = FixedDid | 'tested' | { replayed: number };

export function didToEndpoint(did: string | undefined, count: number | null): DidToEndpoint | null {
  if (did === 'replayed' && count !== null) return { replayed: count };
  return did === 'tested' || isFixed(did) ? did : null;
}

interface EndpointProps {
  site: Site;
  visit: ShopVisit;
  page: EndpointPage;
  filter: DeliveriesFilter;
  did: DidToEndpoint | null;
  now: Date;
}

export function endpointPage(props: EndpointProps): string {
  const { site, visit, page, did } = props;
  const { endpoint, health } = page;
  return dashboardPage({
    site,
    title: 'Webhook endpoint',
    visit,
    at: 'webhooks',
    children: (
      <>
        <EndpointFlash did={did} page={page} />
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
          <EndpointActs site={site} visit={visit} endpoint={endpoint} />
        </div>
        <DeliveriesPanel site={site} visit={visit} page={page} filter={props.filter} />
      </>
    ),
  });
}

function EndpointFlash({ did, page }: { did: DidToEndpoint | null; page: EndpointPage }): JSX.Element | null {
  if (did === null) return null;
  if (typeof did === 'object')
    return (
      <FlashNote
        tone="good"
        text={`${did.replayed === 1 ? '1 event was' : `${shownNumber(did.replayed)} events were`} queued and go out now, the oldest first.`}
      />
    );
  if (did !== 'tested') return <FlashNote tone={DID[did][0]} text={DID[did][1]} />;
  if (page.ping === null) return null;
  const { tone, says } = testWords(page.ping);
  return <FlashNote tone={tone} text={says} />;
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
                <ZonedTime at={ping.at.toISOString()} />: <span>{testWords(ping).says}</span>
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
