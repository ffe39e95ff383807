import type { DeliveryStatus, ListedDelivery } from '../../../../contract/deliveries.ts';
import {
  endpointHealth,
  shownDuration,
  successRate,
  testWords,
} from '../../../../dashboard/endpointHealth.ts';
import type { DeliveriesFilter, EndpointPage } from '../../../../dashboard/webhooks.ts';
import { Badge, type BadgeTone, EmptyState, FlashNote, ZonedTime } from '../../shell/components.tsx';
import { DataTable } from '../../shell/dataTable.tsx';
import type { Site } from '../../shell/page.tsx';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from './creditsWords.ts';
import { dashboardPage } from './layout.tsx';
import { EndpointActs } from './webhookActs.tsx';
import {
  DELIVERY_WORDS,
  daySentence,
  eventsTaken,
  HealthReasons,
  shownUrl,
  webhooksPath,
} from './webhookParts.tsx';

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

export interface EndpointProps {
  site: Site;
  visit: ShopVisit;
  page: EndpointPage;
  filter: DeliveriesFilter;
  did: DidToEndpoint | null;
  now: Date;
}

export function endpointPage(props: EndpointProps): string {
  const { site, visit, page, did } = props;
  const { endpoint } = page;
  const health = endpointHealth(endpoint);
  return dashboardPage({
    site,
    title: 'Webhook endpoint',
    visit,
    at: 'webhooks',
    children: (
      <>
        <EndpointFlash did={did} page={page} />
        <header class="endpoint-head">
          <h1 class="endpoint-url" dir="auto" safe>
            {shownUrl(visit.role, endpoint.url)}
          </h1>
          <p class="badges">
            <Badge tone={health.tone} text={health.label} />
          </p>
          {endpoint.description === null ? (
            ''
          ) : (
            <p class="hint" dir="auto" safe>
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
        <DeliveriesPanel {...props} />
      </>
    ),
  });
}

function EndpointFlash({ did, page }: { did: DidToEndpoint | null; page: EndpointPage }): JSX.Element {
  if (did === null) return '';
  if (typeof did === 'object')
    return (
      <FlashNote
        tone="good"
        text={`${did.replayed === 1 ? '1 event was' : `${shownNumber(did.replayed)} events were`} queued and go out now, the oldest first.`}
      />
    );
  if (did !== 'tested') return <FlashNote tone={DID[did][0]} text={DID[did][1]} />;
  if (page.ping === null) return '';
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
          <strong safe>{successRate(day)}</strong>
        </li>
        <li>
          <span class="hint">Answer time (p95)</span>
          <strong safe>{day.p95_ms === null ? '–' : shownDuration(day.p95_ms)}</strong>
        </li>
      </ul>
      <p class="hint" safe>
        {daySentence(day)}
      </p>
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
            <span safe>{eventsTaken(endpoint.event_types)}</span>
            {endpoint.event_types.length > 1 ? (
              <span class="hint" safe>
                {`: ${endpoint.event_types.join(', ')}`}
              </span>
            ) : (
              ''
            )}
          </dd>
        </div>
        <div>
          <dt>Secret</dt>
          <dd>
            <code safe>{endpoint.secret}</code>
            {switches !== null && switches > now ? (
              <>
                {' '}
                signs from <ZonedTime at={switches.toISOString()} /> on; until then the one before it does,
                and your server must accept both.
              </>
            ) : (
              ''
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
                <ZonedTime at={ping.at.toISOString()} />: <span safe>{testWords(ping).says}</span>
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

const STATUS_CHOICES: readonly (readonly [DeliveryStatus | null, string])[] = [
  [null, 'All'],
  ['delivered', 'Delivered'],
  ['pending', 'Under way'],
  ['exhausted', 'Given up'],
  ['cancelled', 'Called off'],
];

function DeliveriesPanel({ site, visit, page, filter }: EndpointProps): JSX.Element {
  const { endpoint, deliveries } = page;
  const path = site.to(webhooksPath(visit, endpoint.id));
  const to = ({ status, cursor }: DeliveriesFilter): string => {
    const query = new URLSearchParams({
      ...(status !== null && { status }),
      ...(cursor !== null && { cursor }),
    }).toString();
    return `${path}${query === '' ? '' : `?${query}`}#deliveries`;
  };
  return (
    <section class="panel" aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <nav class="choices" aria-label="Filter by status">
        {STATUS_CHOICES.map(([status, label]) => (
          <a
            class="bar-link"
            href={to({ status, cursor: null })}
            aria-current={status === filter.status ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {deliveries.items.length === 0 ? (
        <NoDeliveries hasMore={deliveries.next_cursor !== null} isFiltered={filter.status !== null} />
      ) : (
        <DataTable
          caption="Deliveries, newest event first"
          rows={deliveries.items}
          columns={[
            {
              title: 'Event',
              cell: ({ event_id, type }) => (
                <a href={`${path}/deliveries/${event_id}`}>
                  <code safe>{type}</code>
                </a>
              ),
            },
            { title: 'Happened', cell: ({ created_at }) => <ZonedTime at={created_at} /> },
            {
              title: 'State',
              cell: ({ status }) => (
                <Badge tone={DELIVERY_WORDS[status][0]} text={DELIVERY_WORDS[status][1]} />
              ),
            },
            { title: 'Attempts', numeric: true, cell: ({ attempts }) => <span>{attempts.length}</span> },
            { title: 'Last answer', cell: (delivery) => <span safe>{lastAnswer(delivery)}</span> },
          ]}
        />
      )}
      <p class="pager">
        {filter.cursor === null ? '' : <a href={to({ ...filter, cursor: null })}>Newest</a>}
        {deliveries.next_cursor === null ? (
          ''
        ) : (
          <a href={to({ ...filter, cursor: deliveries.next_cursor })}>Older deliveries</a>
        )}
      </p>
      <p class="hint">Events are kept for 30 days.</p>
    </section>
  );
}

function lastAnswer({ attempts }: ListedDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'Not tried yet';
  return last.error ?? `${last.status_code}, after ${shownDuration(last.duration_ms)}`;
}

function NoDeliveries({ hasMore, isFiltered }: { hasMore: boolean; isFiltered: boolean }): JSX.Element {
  if (hasMore)
    return (
      <EmptyState title="None among the newest">
        <p>There may be older ones: go on with “Older deliveries”.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={isFiltered ? 'No delivery is like this' : 'No deliveries yet'}>
      <p>
        {isFiltered
          ? 'Choose another state, or all of them.'
          : 'Events appear here once something becomes of a message. A test shows at once whether the endpoint works.'}
      </p>
    </EmptyState>
  );
}
