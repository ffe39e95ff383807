import { isAllowed } from '../../../members/permissions.ts';
import { envelope } from '../../../webhooks/events.ts';
import { asJson, CodeBlock, JsonCode } from '../../kit/code.tsx';
import { Badge, FlashNote, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { failureWords } from './failureWords.ts';
import { shownDuration } from './health.ts';
import { DELIVERY_WORDS, shownUrl, webhooksPath } from './parts.tsx';
import type { DeliveryPage } from './reads.ts';

interface DeliveryProps {
  site: Site;
  visit: ShopVisit;
  page: DeliveryPage;
  flash: Flash | null;
}

/** One event's delivery: what was sent, what came back, and when it is tried next. */
export function deliveryPage(props: DeliveryProps): string {
  const { site, visit, page, flash } = props;
  const { endpoint, delivery, messageId } = page;
  const path = site.to(webhooksPath(visit, endpoint.id));
  const [tone, label] = DELIVERY_WORDS[delivery.state === 'stopped' ? 'cancelled' : delivery.state];
  return dashboardPage({
    site,
    title: 'A delivery',
    visit,
    at: 'webhooks',
    children: (
      <>
        {flash && <FlashNote {...flash} />}
        <header class="endpoint-head">
          <h1>
            <code>{delivery.type}</code>
          </h1>
          <p class="badges">
            <Badge tone={tone} text={label} />
          </p>
          <p class="hint">
            Happened <ZonedTime at={delivery.occurred_at.toISOString()} />, to{' '}
            <a class="endpoint-url" href={path} dir="auto">
              {shownUrl(visit.role, endpoint.url)}
            </a>
            {messageId !== null && (
              <>
                , about{' '}
                <a href={site.to(`/dashboard/${visit.shop.id}/messages/${messageId}`)}>this message</a>
              </>
            )}
          </p>
        </header>
        <div class="columns">
          <div class="column">
            <AttemptsPanel page={page} />
            <ReplayPanel {...props} />
          </div>
          <RequestPanel visit={visit} page={page} />
        </div>
      </>
    ),
  });
}

function AttemptsPanel({ page: { attempts, delivery } }: { page: DeliveryPage }): JSX.Element {
  const last = attempts.at(-1);
  const words = last?.error == null ? null : failureWords(last.error);
  return (
    <section class="panel" aria-labelledby="attempts">
      <h2 id="attempts">Attempts</h2>
      {attempts.length === 0 && <p>None yet.</p>}
      <TimelineSteps
        steps={attempts.map(({ at, status_code, error, duration_ms }) => ({
          at: at.toISOString(),
          tone: error === null ? 'good' : 'bad',
          text:
            error === null
              ? `Arrived: your server answered ${status_code} after ${shownDuration(duration_ms)}.`
              : `${failureWords(error).says} That took ${shownDuration(duration_ms)}.`,
          detail: error,
        }))}
      />
      {words !== null && (
        <p>
          <strong>What to do:</strong> <span>{words.todo}</span>
        </p>
      )}
      <p>
        <NextStep delivery={delivery} />
      </p>
      <p class="hint">
        The status of an answer counts; its body is not read. Any status from 200 to 299 is a success.
      </p>
    </section>
  );
}

function NextStep({ delivery }: { delivery: DeliveryPage['delivery'] }): JSX.Element {
  if (delivery.next_attempt_at !== null)
    return (
      <>
        The next attempt is at <ZonedTime at={delivery.next_attempt_at.toISOString()} />.
      </>
    );
  if (delivery.state === 'exhausted')
    return <>Every attempt failed, over 18 hours. It is not tried again by itself.</>;
  if (delivery.state === 'stopped')
    return <>It waited when the endpoint was switched off, and was called off.</>;
  return <>Nothing more is to be done.</>;
}

function ReplayPanel({ site, visit, page }: DeliveryProps): JSX.Element | null {
  const { endpoint, delivery, attempts } = page;
  if (!isAllowed(visit.role, 'webhook.replay') || endpoint.disabled_at !== null) return null;
  const path = site.to(`${webhooksPath(visit, endpoint.id)}/deliveries/${delivery.event_id}/replay`);
  return (
    <section class="panel" aria-labelledby="acts">
      <h2 id="acts">What you can do</h2>
      <ActionForm action={path} formToken={visit.session.formToken}>
        <div class="stack">
          <p>
            {delivery.state === 'delivered'
              ? 'It arrived. Sent again it has the same id, so that your server can tell that it knows it.'
              : 'It goes out at once, this one event, with the same id as before.'}
          </p>
          <input type="hidden" name="attempts" value={String(attempts.length)} />
          <p>
            <button class="button" type="submit">
              {delivery.state === 'pending' ? 'Send it now' : 'Send it again'}
            </button>
          </p>
        </div>
      </ActionForm>
    </section>
  );
}

function RequestPanel({
  visit,
  page: { endpoint, event },
}: {
  visit: ShopVisit;
  page: DeliveryPage;
}): JSX.Element {
  const { id, type } = event;
  const head = [
    `POST ${shownUrl(visit.role, endpoint.url)}`,
    'Content-Type: application/json',
    `X-Service-Event: ${type}`,
    `X-Service-Delivery: ${id}`,
    'X-Service-Signature: t=…,v1=…',
    `webhook-id: ${id}`,
    'webhook-timestamp: …',
    'webhook-signature: v1,…',
  ].join('\n');
  return (
    <section class="panel" aria-labelledby="request">
      <h2 id="request">What is sent</h2>
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
    </section>
  );
}
