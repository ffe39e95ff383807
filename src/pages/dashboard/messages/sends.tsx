import type { TimelineSend } from '../../../messages/timelineSql.ts';
import { upcomingSends } from '../../../messages/upcoming.ts';
import { Badge, type BadgeTone, ZonedTime } from '../../kit/components.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { webhooksPath } from '../webhooks/parts.tsx';
import { UpcomingTime } from './outcomes.tsx';
import type { EventOfMessage } from './sql.ts';

const CHANNEL_WORDS = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp message' } as const;

const STATES: Record<TimelineSend['state'], readonly [BadgeTone, string]> = {
  held: ['plain', 'Held back'],
  queued: ['plain', 'Queued'],
  submitting: ['plain', 'Being handed over'],
  accepted: ['plain', 'Accepted by the provider'],
  delivered: ['good', 'Delivered'],
  read: ['good', 'Read'],
  failed: ['bad', 'Failed'],
  rejected: ['bad', 'Refused'],
  skipped: ['waiting', 'Not sent'],
  cancelled: ['waiting', 'Called off'],
};

/** Each send with its attempts and the provider's words. */
export function SendsPanel({
  sends,
  now,
}: {
  sends: readonly TimelineSend[];
  now: Date;
}): JSX.Element | null {
  if (sends.length === 0) return null;
  const ordered = sends.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return (
    <section class="panel" aria-labelledby="sends">
      <h2 id="sends">Sends</h2>
      <ul class="rows">
        {ordered.map((send) => (
          <li class="row">
            <span>
              <strong>{CHANNEL_WORDS[send.channel]}</strong>
              <span class="hint">
                <ZonedTime at={new Date(send.created_at).toISOString()} />
                {send.reason !== null && <code>{send.reason}</code>}
                {send.error_code !== null && <code>{send.error_code}</code>}
              </span>
              {upcomingSends([send], now).map((upcoming) => (
                <span class="hint">
                  <UpcomingTime {...upcoming} />
                </span>
              ))}
              {send.tried.map(({ attempt, outcome, error_code, ended_at }) => (
                <span class="hint">
                  <span>{`Attempt ${attempt}: ${ATTEMPTS[outcome]}`}</span>{' '}
                  {error_code !== null && <code>{error_code}</code>}{' '}
                  <ZonedTime at={new Date(ended_at).toISOString()} />
                </span>
              ))}
            </span>
            <Badge tone={STATES[send.state][0]} text={STATES[send.state][1]} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const ATTEMPTS: Record<TimelineSend['tried'][number]['outcome'], string> = {
  accepted: 'accepted',
  refused: 'refused',
  not_taken: 'could not be handed over',
  unknown: 'no answer',
};

const DELIVERIES: Record<EventOfMessage['deliveries'][number]['state'], readonly [BadgeTone, string]> = {
  pending: ['plain', 'Under way'],
  delivered: ['good', 'Delivered'],
  exhausted: ['bad', 'Given up'],
  stopped: ['waiting', 'Called off'],
};

/** The events about a message, each with its deliveries to the shop's webhook endpoints. */
export function EventsPanel({
  site,
  visit,
  events,
}: {
  site: Site;
  visit: ShopVisit;
  events: readonly EventOfMessage[];
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="events">
      <h2 id="events">Events to your webhooks</h2>
      {events.length === 0 && <p class="hint">None yet, or they are older than 30 days.</p>}
      <ul class="rows">
        {events.map(({ id, type, occurred_at, deliveries }) => (
          <li class="row">
            <span>
              <code>{type}</code>
              <span class="hint">
                <ZonedTime at={occurred_at.toISOString()} />
              </span>
            </span>
            <span class="badges">
              {deliveries.length === 0 && <Badge tone="plain" text="No endpoint listens" />}
              {deliveries.map(({ endpoint_id, deleted, ...delivery }) =>
                deleted ? (
                  <DeliveryBadge {...delivery} />
                ) : (
                  <a href={site.to(`${webhooksPath(visit, endpoint_id)}/deliveries/${id}`)}>
                    <DeliveryBadge {...delivery} />
                  </a>
                ),
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DeliveryBadge({
  state,
  attempts,
}: Pick<EventOfMessage['deliveries'][number], 'state' | 'attempts'>): JSX.Element {
  const [tone, word] = DELIVERIES[state];
  return <Badge tone={tone} text={attempts > 1 ? `${word}, ${attempts} attempts` : word} />;
}
