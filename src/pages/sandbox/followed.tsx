import type { TimelineItem } from '../../contract/timeline.ts';
import { asJson } from '../kit/code.tsx';
import type { Site } from '../kit/page.tsx';
import { ChannelIcon, Chip, LocalTime } from './parts.tsx';
import type { Opened } from './reads.ts';
import type { DeliveryLine, EventLineRow, SendLineRow } from './sql.ts';
import { channelName, creditsOf, deliveryText, fateOfState, whyOf } from './words.ts';

interface FollowedProps {
  site: Site;
  opened: Opened;
  timeline: readonly TimelineItem[];
}

/** The sends of the push, the events for its merchant, and its timeline. */
export function Followed({ site, opened, timeline }: FollowedProps): JSX.Element {
  const { message, sends, events, endpoints } = opened;
  if (message.message_id === null) {
    return (
      <div class="followed" data-region id="followed">
        <p class="hint">
          The service wrote this by itself; no message of the merchant’s stands behind it, and no events
          follow from it.
        </p>
      </div>
    );
  }
  return (
    <div class="followed" data-region id="followed">
      <section aria-labelledby="sends-title">
        <h3 id="sends-title">Nudges of this message</h3>
        <ul class="sends">
          {sends.map((send) => (
            <Send send={send} />
          ))}
        </ul>
        <p class="hint">
          Message <code>{message.message_id}</code>
          {message.message_opened_at === null ? (
            ', not opened yet.'
          ) : (
            <>
              , opened <LocalTime at={message.message_opened_at} />.
            </>
          )}
        </p>
      </section>
      <section aria-labelledby="told-title">
        <h3 id="told-title">Webhook events</h3>
        {events.length === 0 && <p class="hint">None yet.</p>}
        <ol class="told-events">
          {events.map((event) => (
            <EventLine event={event} />
          ))}
        </ol>
        {endpoints === 0 && (
          <p class="hint">
            The business has no webhook endpoint:{' '}
            <a href={`${site.to('/docs')}#createWebhookEndpoint`}>register one</a>, or{' '}
            <a href={`${site.to('/docs')}#listEvents`}>read the events</a>.
          </p>
        )}
      </section>
      <section aria-labelledby="timeline-title" class="whole">
        <h3 id="timeline-title">Timeline</h3>
        <ol class="timeline">
          {timeline.map(({ at, says }) => (
            <li>
              <LocalTime at={new Date(at)} /> <span>{says}</span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function Send({ send }: { send: SendLineRow }): JSX.Element {
  const { text, until } = whyOf(send);
  const at = until ?? (text === '' ? send.last_status_at : null);
  const credits = creditsOf(send);
  return (
    <li>
      <ChannelIcon channel={send.channel} />
      <span>
        <strong>
          {`${channelName[send.channel]}${send.is_fallback ? ' instead of WhatsApp' : send.purpose === 'resend' ? ', resent' : ''}`}
        </strong>{' '}
        <Chip fate={fateOfState(send.state)} />
        {send.complained_at !== null && <Chip fate={{ word: 'Marked as spam', tone: 'ended' }} />}
        <br />
        <span class="hint">
          <span>{text}</span>
          {at !== null && (
            <>
              {' '}
              <LocalTime at={at} />.
            </>
          )}
          {credits !== '' && <span>{` ${credits}.`}</span>}
        </span>
      </span>
    </li>
  );
}

function EventLine({ event }: { event: EventLineRow }): JSX.Element {
  return (
    <li id={`event-${event.id}`}>
      <details>
        <summary>
          <code>{event.type}</code> <LocalTime at={event.occurred_at} />
        </summary>
        <pre tabindex="0">
          {asJson({ id: event.id, type: event.type, occurred_at: event.occurred_at, data: event.data })}
        </pre>
      </details>
      {event.deliveries.length > 0 && (
        <ul class="deliveries">
          {event.deliveries.map((delivery) => (
            <Delivery delivery={delivery} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Delivery({ delivery }: { delivery: DeliveryLine }): JSX.Element {
  return (
    <li>
      <Chip fate={fateOfState(delivery.state)} /> <span>{delivery.url}</span>{' '}
      <span class="hint">{deliveryText(delivery)}</span>
    </li>
  );
}
