import type { TimelineItem } from '../../contract/timeline.ts';
import type { Site } from '../kit/page.tsx';
import { Followed } from './followed.tsx';
import { addressOf, type SandboxLocation } from './location.ts';
import { Chip, DoButton, LocalTime } from './parts.tsx';
import { PhoneView } from './phone.tsx';
import type { Opened } from './reads.ts';
import type { OpenedRow } from './sql.ts';
import { channelName, fateOf, reportsOn } from './words.ts';

interface OpenedProps {
  site: Site;
  place: SandboxLocation;
  opened: Opened;
}

/** One captured message: as the person sees it, what they and the provider can do, and the events that followed. */
export function OpenedMessage({
  site,
  place,
  opened,
  timeline,
}: OpenedProps & { timeline: readonly TimelineItem[] }): JSX.Element {
  const { message } = opened;
  return (
    <section class="opened" aria-labelledby="opened-title">
      <header data-region id="opened-head">
        <p class="back">
          <a href={addressOf(site, '/sandbox', { ...place, open: null })}>All that was sent</a>
        </p>
        <h2 id="opened-title">
          <span>{channelName[message.channel]}</span> to <bdi>{message.recipient}</bdi>
        </h2>
        <p class="facts">
          <Chip fate={fateOf(message)} />
          <span>
            from <bdi>{message.business_name}</bdi>
          </span>
          <LocalTime at={message.at} />
        </p>
        <PersonState message={message} />
      </header>
      <Actions site={site} place={place} opened={opened} />
      {message.channel === 'email' ? (
        <Email site={site} message={message} />
      ) : (
        <PhoneView site={site} place={place} opened={opened} />
      )}
      <Followed site={site} opened={opened} timeline={timeline} />
    </section>
  );
}

/** The person's choices, if they are the reason why nothing more is sent. */
function PersonState({ message }: { message: OpenedRow }): JSX.Element {
  const said = [
    ...(message.unsubscribed_at === null
      ? []
      : ['This person has unsubscribed: nothing is sent to them any more.']),
    ...(message.channel === 'sms' && message.sms_status === 'stopped'
      ? [
          message.sms_stopped_by === 'text'
            ? 'This person texted STOP: no more texts until they text START.'
            : 'This person stopped texts in the inbox or the dashboard: a START by text does not lift that.',
        ]
      : []),
    ...(message.channel === 'whatsapp' && message.whatsapp_status === 'stopped'
      ? ['This person stopped WhatsApp messages, for good.']
      : []),
    ...(message.message_status === 'retracted' ? ['The message was taken back.'] : []),
    ...(message.message_status === 'obsolete' ? ['The message is obsolete.'] : []),
  ];
  return (
    <>
      {said.map((text) => (
        <p class="standing">{text}</p>
      ))}
    </>
  );
}

function Actions({ site, place, opened: { message, link } }: OpenedProps): JSX.Element {
  const here: SandboxLocation = { ...place, open: message.id };
  const unsubscribe = /^<(https?:\/\/[^>]+)>$/.exec(message.headers['List-Unsubscribe'] ?? '')?.[1];
  return (
    <div class="reports" data-region id="reports">
      <div>
        <h3>The person</h3>
        {link !== null && (
          <a class="small strong" href={link} target="_blank" rel="noopener" id="open-link">
            Open the link
          </a>
        )}
        {unsubscribe !== undefined && (
          <a class="small" href={unsubscribe} target="_blank" rel="noopener">
            Unsubscribe
          </a>
        )}
        {message.channel !== 'email' && <Replies site={site} place={here} message={message} />}
      </div>
      <div>
        <h3>The provider reports</h3>
        {reportsOn[message.channel].map((status) => (
          <DoButton
            id={`report-${status}`}
            action={addressOf(site, '/sandbox/reports', here)}
            values={{ provider_id: message.provider_id, status }}
            label={status}
          />
        ))}
      </div>
    </div>
  );
}

function Replies({
  site,
  place,
  message,
}: {
  site: Site;
  place: SandboxLocation;
  message: OpenedRow;
}): JSX.Element {
  const reply = (word: string) => (
    <DoButton
      id={`reply-${word.toLowerCase()}`}
      action={addressOf(site, `/sandbox/${message.channel}/inbound`, place)}
      values={{ from: message.recipient, business_id: message.business_id, body: word }}
      label={`Reply ${word}`}
    />
  );
  return (
    <>
      {reply('STOP')}
      {message.channel === 'sms' && reply('START')}
    </>
  );
}

/** The mail as a client shows it, in an inert frame, beside its source. */
function Email({ site, message }: { site: Site; message: OpenedRow }): JSX.Element {
  const headers = [
    ['To', message.recipient],
    ['Subject', message.subject ?? ''],
    ...Object.entries(message.headers),
  ];
  return (
    <div class="email" data-region id={`email-${message.id}`}>
      <div class="mail">
        <p class="mail-head" dir="auto">
          <strong>{message.subject ?? 'No subject'}</strong>
          <span>{message.business_name}</span>
        </p>
        <iframe
          src={site.to(`/sandbox/messages/${message.id}/email`)}
          title="The mail as its recipient sees it"
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          loading="lazy"
        />
      </div>
      <div class="source">
        <details open>
          <summary>As text</summary>
          <pre tabindex="0" dir="auto">
            {message.text}
          </pre>
        </details>
        <details open>
          <summary>Headers</summary>
          <dl>
            {headers.map(([name = '', value = '']) => (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ))}
          </dl>
        </details>
      </div>
    </div>
  );
}
