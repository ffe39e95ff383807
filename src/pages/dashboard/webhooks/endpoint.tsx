import { Badge, FactList, LinkButton, Panel, ZonedTime } from '../../kit/components.tsx';
import { FoldedForm, PostForm } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import { CHARTS_UPDATED_MS, type Page, updatesItself } from '../layout.tsx';
import { AttemptsChart, LatencyChart } from './charts.tsx';
import { sentParts } from './deliveries.tsx';
import { shownDuration, successRate, testWords } from './health.ts';
import { daySentence, eventsTaken, healthReasons, shownUrl, typeChoices } from './parts.tsx';
import type { EndpointPage } from './reads.ts';
import { shownResponse } from './response.tsx';
import type { ShownEndpoint } from './sql.ts';

export function endpointPage(visit: ShopVisit, page: EndpointPage, now: Date, seen: string): Page {
  const { endpoint, health, day } = page;
  return {
    title: 'Webhook endpoint',
    at: 'webhooks',
    within: [],
    live: { seen, endpointId: endpoint.id },
    heading: (
      <header class="endpoint-head">
        <h1 class="endpoint-url" dir="auto">
          {shownUrl(visit, endpoint.url)}
        </h1>
        <p class="badges" id="endpoint-state">
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
        <div class="column" id="endpoint-reasons">
          {healthReasons(health)}
        </div>
        <div class="columns">
          <div class="column">
            <div id="endpoint-day">
              <Panel id="day" title="The last day">
                <ul class="figures">
                  {figure('Success rate', successRate(day))}
                  {figure('Answer time (p95)', day.p95_ms === null ? '–' : shownDuration(day.p95_ms))}
                </ul>
                <p class="hint">{daySentence(day)}</p>
              </Panel>
            </div>
            {setupPanel(visit, page, now)}
          </div>
          {endpointActions(visit, endpoint)}
        </div>
        <div
          class="columns"
          {...updatesItself(visit.to(`/webhooks/${endpoint.id}`), 'charts', [], CHARTS_UPDATED_MS)}
        >
          {day.attempts > 0 && (
            <>
              <Panel id="attempts" title="Attempts per hour">
                <AttemptsChart visit={visit} page={page} />
              </Panel>
              <Panel id="latency" title="Answer time">
                <LatencyChart visit={visit} page={page} />
              </Panel>
            </>
          )}
        </div>
        {sentParts(visit, page)}
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

function setupPanel(visit: ShopVisit, { endpoint, ping }: EndpointPage, now: Date) {
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
      {shownResponse(visit, ping.response, 'test')}
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
          [
            'Last delivery that arrived',
            <span id="last-arrived">{success === null ? 'None yet' : <ZonedTime at={success} />}</span>,
          ],
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
