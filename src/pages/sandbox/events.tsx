import { CHANNEL_TITLES } from '../kit/channelWords.ts';
import { asJson, CodeBlock, Curl } from '../kit/code.tsx';
import { Badge, ZonedTime } from '../kit/components.tsx';
import type { Site } from '../kit/page.tsx';
import { ChannelIcon } from './parts.tsx';
import type { Opened, SandboxPageProps } from './reads.ts';
import type { DeliveryLine, SandboxEventRow, SendLineRow } from './sql.ts';
import { creditsOf, deliveryText, stateBadge, whyOf } from './words.ts';

/** The latest events of all businesses, newest first, and how a program reads them. */
export const EventsFeed = ({ site, apiKey, view: { events } }: SandboxPageProps) => (
  <section class="feed" aria-labelledby="feed-title">
    <h2 id="feed-title">Events</h2>
    <div data-region id="feed">
      {events.length === 0 && <p class="hint">None yet.</p>}
      <ol class="feed-events">
        {events.map((event) => (
          <li id={`feed-${event.id}`}>
            <EventDetails event={event} whom={event.whom ?? event.business_name} />
          </li>
        ))}
      </ol>
    </div>
    <details>
      <summary>Read them with a program</summary>
      <p class="hint">
        Follow <code>next</code> to see each event once, in order, with or without a webhook:{' '}
        <a href={`${site.to('/docs/events')}#listEvents`}>the reference</a>.
      </p>
      <CodeBlock label="Read events">
        <Curl
          method="GET"
          url={`${site.publicUrl}/api/v1/events?wait=10`}
          bearer={apiKey ?? '$WAYPOST_API_KEY'}
        />
      </CodeBlock>
    </details>
  </section>
);

function EventDetails({ event, whom }: { event: SandboxEventRow; whom?: string }) {
  const { id, type, occurred_at, data } = event;
  return (
    <details>
      <summary>
        <code>{type}</code>{' '}
        {whom !== undefined && (
          <span class="whom">
            <bdi>{whom}</bdi>
          </span>
        )}{' '}
        <ZonedTime at={occurred_at} />
      </summary>
      <pre tabindex="0">{asJson({ id, type, occurred_at, data })}</pre>
    </details>
  );
}

/** The sends of the push, the events for its merchant, and its timeline. */
export const Followed = ({ site, opened }: SandboxPageProps & { opened: Opened }) => (
  <div class="followed" data-region id="followed">
    {opened.message.message_id === null ? (
      <p class="hint">
        The service wrote this by itself; no message of the merchant’s stands behind it, and no events follow
        from it.
      </p>
    ) : (
      <>
        <Sends opened={opened} />
        <EventsOfMessage site={site} opened={opened} />
        <section aria-labelledby="timeline-title" class="whole">
          <h3 id="timeline-title">Timeline</h3>
          <ol class="timeline">
            {opened.timeline.map(({ at, says }) => (
              <li>
                <ZonedTime at={at} /> <span>{says}</span>
              </li>
            ))}
          </ol>
        </section>
      </>
    )}
  </div>
);

function Sends({ opened: { message, sends } }: { opened: Opened }) {
  const openedAt = message.message_opened_at;
  return (
    <section aria-labelledby="sends-title">
      <h3 id="sends-title">Nudges of this message</h3>
      <ul class="sends">
        {sends.map((send) => (
          <Send send={send} />
        ))}
      </ul>
      <p class="hint">
        Message <code>{message.message_id}</code>, {openedAt === null ? 'not opened yet' : 'opened '}
        {openedAt && <ZonedTime at={openedAt} />}.
      </p>
    </section>
  );
}

const EventsOfMessage = ({ site, opened }: { site: Site; opened: Opened }) => (
  <section aria-labelledby="events-title">
    <h3 id="events-title">Webhook events</h3>
    {opened.events.length === 0 && <p class="hint">None yet.</p>}
    <ol class="message-events">
      {opened.events.map((event) => (
        <li id={`event-${event.id}`}>
          <EventDetails event={event} />
          <Deliveries deliveries={event.deliveries} />
        </li>
      ))}
    </ol>
    {opened.message.endpoints === 0 && (
      <p class="hint">
        The business has no webhook endpoint:{' '}
        <a href={`${site.to('/docs/webhook-endpoints')}#createWebhookEndpoint`}>register one</a>, or{' '}
        <a href={`${site.to('/docs/events')}#listEvents`}>read the events</a>.
      </p>
    )}
  </section>
);

function Send({ send }: { send: SendLineRow }) {
  const { text, until } = whyOf(send);
  const at = until ?? (text === '' ? send.last_status_at : null);
  const credits = creditsOf(send);
  const kind = send.is_fallback ? ' instead of WhatsApp' : send.purpose === 'resend' ? ', resent' : '';
  return (
    <li>
      <ChannelIcon channel={send.channel} />
      <span>
        <strong>{`${CHANNEL_TITLES[send.channel]}${kind}`}</strong> <Badge {...stateBadge(send.state)} />
        {send.complained_at !== null && <Badge tone="bad" text="Marked as spam" />}
        <br />
        <span class="hint">
          {text} {at !== null && <ZonedTime at={at} />}
          {at !== null && '.'}
          {credits !== '' && ` ${credits}.`}
        </span>
      </span>
    </li>
  );
}

const Deliveries = ({ deliveries }: { deliveries: readonly DeliveryLine[] }): JSX.Element | false =>
  deliveries.length > 0 && (
    <ul class="deliveries">
      {deliveries.map((delivery) => (
        <li>
          <Badge {...stateBadge(delivery.state)} /> <span>{delivery.url}</span>{' '}
          <span class="hint">{deliveryText(delivery)}</span>
        </li>
      ))}
    </ul>
  );
