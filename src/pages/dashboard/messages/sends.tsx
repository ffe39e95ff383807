import { OUTCOME_WORDS, outcomeOfSend } from '../../../messages/outcomes.ts';
import type { TimelineSend } from '../../../messages/timelineSql.ts';
import { sentenceCase } from '../../../messages/timelineWords.ts';
import { upcomingSends } from '../../../messages/upcoming.ts';
import { codeSentence } from '../../../providers/codeWords.ts';
import { providerTitle } from '../../../providers/titles.ts';
import { NUDGE_NAMES } from '../../kit/channelWords.ts';
import { Badge, Panel, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import type { InShop } from '../context.ts';
import { DELIVERY_WORDS, shownUrl } from '../webhooks/parts.tsx';
import { UpcomingTime } from './outcomes.tsx';
import type { ShownMessage } from './reads.ts';
import type { EventOfMessage } from './sql.ts';
import { ProviderCode } from './story.tsx';

const STATES: Record<TimelineSend['state'], Flash> = {
  held: { tone: 'plain', text: 'Held back' },
  queued: { tone: 'plain', text: 'Queued' },
  submitting: { tone: 'plain', text: 'Being handed over' },
  accepted: { tone: 'plain', text: 'Accepted by the provider' },
  delivered: { tone: 'good', text: 'Delivered' },
  read: { tone: 'good', text: 'Read' },
  failed: { tone: 'bad', text: 'Failed' },
  rejected: { tone: 'bad', text: 'Refused' },
  skipped: { tone: 'waiting', text: 'Not sent' },
  cancelled: { tone: 'waiting', text: 'Cancelled' },
};

/** In the word that lists and sentences have for it. */
export function badgeOfSend(send: Pick<TimelineSend, 'channel' | 'state' | 'reason'>): Flash {
  const outcome = outcomeOfSend(send);
  return outcome === null ? STATES[send.state] : { tone: 'bad', text: sentenceCase(OUTCOME_WORDS[outcome]) };
}

/** Each send with its attempts and the provider's words. */
export const SendsPanel = ({ sends, now }: ShownMessage) => (
  <Panel id="sends" title="Sends">
    <ul class="rows">
      {sends
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((send) => (
          <li class="row">
            <span>
              <strong>{NUDGE_NAMES[send.channel]}</strong>
              <span class="hint">
                <ZonedTime at={new Date(send.created_at)} exact />
                {[...new Set([send.reason, send.error_code])].map((code) => (
                  <ProviderCode code={code} />
                ))}
              </span>
              {upcomingSends([send], now).map((upcoming) => (
                <span class="hint">
                  <UpcomingTime {...upcoming} />
                </span>
              ))}
              {send.tried.map(({ attempt, outcome, error_code, ended_at, provider, passed_over }) => (
                <>
                  {(passed_over ?? []).map((before) => (
                    <span class="hint">
                      {`Attempt ${attempt}${at(before.provider)}: nothing taken. ${causeOf(before.error_code)}`}
                      <ProviderCode code={before.error_code} />
                    </span>
                  ))}
                  <span class="hint">
                    {`Attempt ${attempt}${at(provider)}: ${ATTEMPTS[outcome]}. ${causeOf(error_code)} `}
                    <ZonedTime at={new Date(ended_at)} exact />
                    <ProviderCode code={error_code} />
                  </span>
                </>
              ))}
            </span>
            <Badge {...badgeOfSend(send)} />
          </li>
        ))}
    </ul>
  </Panel>
);

/** The sandbox has no provider with a name. */
const at = (provider: string): string => (provider === 'sandbox' ? '' : ` at ${providerTitle(provider)}`);

const causeOf = (code: string | null): string => (code === null ? '' : (codeSentence(code) ?? ''));

const ATTEMPTS: Record<TimelineSend['tried'][number]['outcome'], string> = {
  accepted: 'accepted',
  refused: 'refused',
  not_taken: 'could not be handed over',
  unknown: 'outcome unknown',
};

/** The events about a message, each with its deliveries to the shop's webhook endpoints. */
export const EventsPanel = ({ visit, events }: InShop<ShownMessage>) => (
  <Panel id="events" title="Events to your webhooks">
    {events.length === 0 && <p class="hint">None yet, or they are older than 30 days.</p>}
    <ul class="rows">
      {events.map(({ id, type, occurred_at, deliveries }) => (
        <li class="row">
          <span>
            <code>{type}</code>
            <span class="hint">
              <ZonedTime at={occurred_at} />
            </span>
          </span>
          {deliveries.length === 0 && <Badge tone="plain" text="No endpoint listens" />}
          {deliveries.length > 0 && (
            <ul class="deliveries-of">
              {deliveries.map((delivery) => (
                <DeliveryLine visit={visit} eventId={id} {...delivery} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  </Panel>
);

type DeliveryLineProps = InShop<EventOfMessage['deliveries'][number] & { eventId: string }>;

/** Which endpoint it went to, and what became of it. A deleted endpoint has no page any more. */
function DeliveryLine({ visit, eventId, endpoint_id, url, deleted, state, attempts }: DeliveryLineProps) {
  const { tone, text } = DELIVERY_WORDS[state === 'stopped' ? 'cancelled' : state];
  const badge = <Badge tone={tone} text={attempts > 1 ? `${text}, ${attempts} attempts` : text} />;
  const endpoint = visit.to(`/webhooks/${endpoint_id}`);
  const name = shownUrl(visit, url);
  return (
    <li>
      {deleted ? (
        <span class="hint" title={name}>{`Deleted: ${name}`}</span>
      ) : (
        <a href={endpoint} title={name}>
          {name}
        </a>
      )}
      {deleted ? badge : <a href={`${endpoint}/deliveries/${eventId}`}>{badge}</a>}
    </li>
  );
}
