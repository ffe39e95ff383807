import { RESPONSE_DAYS_KEPT } from '../../../config/limits.ts';
import type { Children } from '../../../kit/jsxRuntime.ts';
import { envelope } from '../../../webhooks/events.ts';
import { asJson, CodeBlock, JsonCode } from '../../kit/code.tsx';
import { Badge, Panel, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import { HiddenFields, PostForm } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { orderPath } from '../messages/filters.tsx';
import { failureWords } from './failureWords.ts';
import { shownDuration } from './health.ts';
import { DELIVERY_WORDS, shownUrl } from './parts.tsx';
import type { DeliveryPage } from './reads.ts';
import { shownResponse } from './response.tsx';

/** One event's delivery: what was sent, what came back, and when it is tried next. */
export function deliveryPage(visit: ShopVisit, page: DeliveryPage): Page {
  const { endpoint, delivery, messageId, reference } = page;
  return {
    title: 'A delivery',
    at: 'webhooks',
    within: [{ href: visit.to(`/webhooks/${endpoint.id}`), label: shownUrl(visit, endpoint.url) }],
    heading: (
      <header class="endpoint-head">
        <h1>
          <code>{delivery.type}</code>
        </h1>
        <p class="badges">
          <Badge {...DELIVERY_WORDS[delivery.state === 'stopped' ? 'cancelled' : delivery.state]} />
        </p>
        <p class="hint">
          Happened <ZonedTime at={delivery.occurred_at} />, to{' '}
          <a class="endpoint-url" href={visit.to(`/webhooks/${endpoint.id}`)} dir="auto">
            {shownUrl(visit, endpoint.url)}
          </a>
          {messageId !== null && (
            <>
              , about <a href={visit.to(`/messages/${messageId}`)}>this message</a>
            </>
          )}
          {messageId === null && reference !== null && (
            <>
              , about <a href={visit.to(orderPath(reference))}>this order</a>
            </>
          )}
        </p>
      </header>
    ),
    children: (
      <div class="columns">
        <div class="column">
          {attemptsPanel(visit, page)}
          {replayPanel(visit, page)}
        </div>
        {requestPanel(visit, page)}
      </div>
    ),
  };
}

function attemptsPanel(visit: ShopVisit, { attempts, delivery }: DeliveryPage) {
  const last = attempts.at(-1);
  const words = last?.error == null ? null : failureWords(last.error);
  return (
    <Panel id="attempts" title="Attempts">
      {attempts.length === 0 && <p>None yet.</p>}
      <TimelineSteps
        steps={attempts.map(({ at, status_code, error, duration_ms }) => ({
          at,
          tone: error === null ? 'good' : 'bad',
          text:
            error === null
              ? `Arrived: your server answered ${status_code} after ${shownDuration(duration_ms)}.`
              : `${failureWords(error).message} That took ${shownDuration(duration_ms)}.`,
          detail: error,
        }))}
      />
      {words !== null && (
        <p>
          <strong>What to do:</strong> {words.advice}
        </p>
      )}
      <p>{nextStep(delivery)}</p>
      {answers(visit, attempts)}
      <p class="hint">
        The status of an answer alone counts: any from 200 to 299 is a success. The beginning of what was
        answered is kept for {RESPONSE_DAYS_KEPT} days.
      </p>
    </Panel>
  );
}

/** What each attempt was answered, the last one open. */
const answers = (visit: ShopVisit, attempts: DeliveryPage['attempts']) =>
  attempts
    .filter(({ response }) => response !== null)
    .reverse()
    .map(({ attempt, response }, index) =>
      shownResponse(visit, response, `answer-${attempt}`, `Answer to attempt ${attempt}`, index === 0),
    );

function nextStep({ next_attempt_at: next, state }: DeliveryPage['delivery']): Children {
  if (next !== null) return ['The next attempt is at ', <ZonedTime at={next} />, '.'];
  if (state === 'exhausted') return 'Every attempt failed, over 18 hours. It is not tried again by itself.';
  if (state === 'stopped') return 'It waited when the endpoint was switched off, and was cancelled.';
  return 'Nothing more is to be done.';
}

function replayPanel(visit: ShopVisit, { endpoint, delivery, attempts }: DeliveryPage) {
  if (!visit.may('webhook.replay') || endpoint.disabled_at !== null) return null;
  return (
    <Panel id="acts" title="What you can do">
      <PostForm
        visit={visit}
        action={visit.to(`/webhooks/${endpoint.id}/deliveries/${delivery.event_id}/replay`)}
        label={delivery.state === 'pending' ? 'Send it now' : 'Send it again'}
      >
        <p>
          {delivery.state === 'delivered'
            ? 'It arrived. Sent again it has the same id, so that your server can tell that it knows it.'
            : 'It goes out at once, this one event, with the same id as before.'}
        </p>
        <HiddenFields values={{ attempts: String(attempts.length) }} />
      </PostForm>
    </Panel>
  );
}

function requestPanel(visit: ShopVisit, { endpoint, event }: DeliveryPage) {
  const { id, type } = event;
  const head = [
    `POST ${shownUrl(visit, endpoint.url)}`,
    'Content-Type: application/json',
    `X-Service-Event: ${type}`,
    `X-Service-Delivery: ${id}`,
    'X-Service-Signature: t=…,v1=…',
    `webhook-id: ${id}`,
    'webhook-timestamp: …',
    'webhook-signature: v1,…',
  ].join('\n');
  return (
    <Panel id="request" title="What is sent">
      <div class="wrapped">
        <CodeBlock label="Request">
          {head}
          {'\n\n'}
          <JsonCode text={asJson(JSON.parse(envelope(event)))} />
        </CodeBlock>
      </div>
      <p class="hint">
        The body goes out without white space. Each attempt is signed anew, so signatures and timestamps
        differ.
      </p>
    </Panel>
  );
}
