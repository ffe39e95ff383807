import type { ListedDelivery } from '../../../contract/endpoints.ts';
import { Badge, EmptyState, FactList, LinkButton, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FoldedForm, PostForm } from '../../kit/forms.tsx';
import { withQuery } from '../../kit/request.ts';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { AttemptsChart, LatencyChart } from './charts.tsx';
import { shownDuration, successRate, testWords } from './health.ts';
import { DELIVERY_WORDS, daySentence, eventsTaken, healthReasons, shownUrl, typeChoices } from './parts.tsx';
import type { DeliveriesFilter, EndpointPage } from './reads.ts';
import type { ShownEndpoint } from './sql.ts';

export function endpointPage(visit: ShopVisit, page: EndpointPage, now: Date): Page {
  const { endpoint, health, day } = page;
  return {
    title: 'Webhook endpoint',
    at: 'webhooks',
    within: [],
    heading: (
      <header class="endpoint-head">
        <h1 class="endpoint-url" dir="auto">
          {shownUrl(visit, endpoint.url)}
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
    ),
    children: (
      <>
        {healthReasons(health)}
        <div class="columns">
          <div class="column">
            <Panel id="day" title="The last day">
              <ul class="figures">
                {figure('Success rate', successRate(day))}
                {figure('Answer time (p95)', day.p95_ms === null ? '–' : shownDuration(day.p95_ms))}
              </ul>
              <p class="hint">{daySentence(day)}</p>
            </Panel>
            {setupPanel(page, now)}
          </div>
          {endpointActions(visit, endpoint)}
        </div>
        {day.attempts > 0 && (
          <div class="columns">
            <Panel id="attempts" title="Attempts per hour">
              <AttemptsChart visit={visit} page={page} />
            </Panel>
            <Panel id="latency" title="Answer time">
              <LatencyChart visit={visit} page={page} />
            </Panel>
          </div>
        )}
        {deliveriesPanel(visit, page)}
      </>
    ),
  };
}

const figure = (name: string, value: string) => (
  <li>
    <span class="hint">{name}</span>
    <strong>{value}</strong>
  </li>
);

function setupPanel({ endpoint, ping }: EndpointPage, now: Date) {
  const { event_types: types, secret_switches_at: switches, last_success_at: success } = endpoint;
  const secret = (
    <>
      <code>{endpoint.secret}</code>
      {switches !== null && switches > now && (
        <>
          {' '}
          signs from <ZonedTime at={switches} /> on; until then the one before it does, and your server must
          accept both.
        </>
      )}
    </>
  );
  const tested = ping && (
    <>
      <ZonedTime at={ping.at} />: {testWords(ping).text}
    </>
  );
  return (
    <Panel id="setup" title="How it is set up">
      <FactList
        facts={[
          [
            'Events',
            [eventsTaken(types), types.length > 1 && <span class="hint">{`: ${types.join(', ')}`}</span>],
          ],
          ['Secret', secret],
          ['Last delivery that arrived', success === null ? 'None yet' : <ZonedTime at={success} />],
          ['Last test', tested ?? 'None yet'],
          ['Added', <ZonedTime at={endpoint.created_at} />],
        ]}
      />
    </Panel>
  );
}

/** What a member or an owner can do about an endpoint; nothing for a viewer. */
function endpointActions(visit: ShopVisit, endpoint: ShownEndpoint) {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  if (!visit.may('webhook.test')) return null;
  return (
    <Panel id="acts" title="What you can do">
      <div class="acts">
        <PostForm visit={visit} action={`${path}/test`} label="Send a test" />
        {visit.may('webhook.replay') && endpoint.disabled_at === null && (
          <LinkButton href={`${path}/replay`} label="Send a time window again …" />
        )}
      </div>
      <p class="hint">
        A test is one event, a “ping”, signed like any other. It does not count for the endpoint’s health.
      </p>
      {visit.may('webhook.manage') && ownerActions(visit, endpoint, path)}
    </Panel>
  );
}

const ownerActions = (visit: ShopVisit, endpoint: ShownEndpoint, path: string) => (
  <>
    <FoldedForm title="Choose its events …" visit={visit} action={`${path}/types`} label="Save the events">
      {typeChoices(endpoint.event_types)}
    </FoldedForm>
    {endpoint.disabled_at === null ? (
      <FoldedForm title="Switch it off …" visit={visit} action={`${path}/disable`} label="Switch it off">
        <p>
          It gets no events until it is switched on again. What is queued for it is cancelled; it can be sent
          afterwards, for 30 days.
        </p>
      </FoldedForm>
    ) : (
      <PostForm visit={visit} action={`${path}/enable`} label="Switch it on">
        <p>
          Switched on again it gets the next events, and its failures are counted anew. What it missed is not
          sent by itself: the next page offers it.
        </p>
      </PostForm>
    )}
    <div class="acts">
      <LinkButton href={`${path}/url`} label="Change the URL …" />
      <LinkButton href={`${path}/rotate`} label="New secret …" />
      <LinkButton href={`${path}/delete`} label="Delete …" />
    </div>
  </>
);

export const STATUS_CHOICES = [null, 'delivered', 'pending', 'exhausted', 'cancelled'] as const;

/** What was sent to an endpoint, newest event first. */
function deliveriesPanel(visit: ShopVisit, { endpoint, deliveries, filter }: EndpointPage) {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  const to = (query: Partial<DeliveriesFilter>) => `${withQuery(path, query)}#deliveries`;
  const { items, next_cursor: older } = deliveries;
  return (
    <Panel id="deliveries" title="Deliveries">
      <nav class="choices" aria-label="Filter by status">
        {STATUS_CHOICES.map((status) => (
          <a
            class="bar-link"
            href={to({ status })}
            aria-current={status === filter.status ? 'true' : undefined}
          >
            {status === null ? 'All' : DELIVERY_WORDS[status].text}
          </a>
        ))}
      </nav>
      {items.length === 0 ? (
        <EmptyState {...whyNoDeliveries(older !== null, filter.status !== null)} />
      ) : (
        <DataTable caption="Deliveries, newest event first" rows={items} columns={deliveryColumns(path)} />
      )}
      <Pager
        links={[
          filter.cursor !== null && [to({ ...filter, cursor: null }), 'Newest'],
          older !== null && [to({ ...filter, cursor: older }), 'Older deliveries'],
        ]}
      />
      <p class="hint">Events are kept for 30 days.</p>
    </Panel>
  );
}

const deliveryColumns = (path: string): Parameters<typeof DataTable<ListedDelivery>>[0]['columns'] => [
  {
    title: 'Event',
    cell: ({ event_id, type }) => (
      <a href={`${path}/deliveries/${event_id}`}>
        <code>{type}</code>
      </a>
    ),
  },
  { title: 'Happened', cell: ({ created_at }) => <ZonedTime at={created_at} /> },
  { title: 'State', cell: ({ status }) => <Badge {...DELIVERY_WORDS[status]} /> },
  { title: 'Attempts', numeric: true, cell: ({ attempts }) => attempts.length },
  { title: 'Last answer', cell: lastAnswer },
];

function lastAnswer({ attempts }: ListedDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'Not tried yet';
  return last.error ?? `${last.status_code}, after ${shownDuration(last.duration_ms)}`;
}

function whyNoDeliveries(hasMore: boolean, isFiltered: boolean): { title: string; text: string } {
  if (hasMore)
    return {
      title: 'None among the newest',
      text: 'There may be older ones: go on with “Older deliveries”.',
    };
  if (isFiltered) return { title: 'No delivery is like this', text: 'Choose another state, or all of them.' };
  return {
    title: 'No deliveries yet',
    text: 'Events appear here once something becomes of a message. A test shows at once whether the endpoint works.',
  };
}
