import { CHANNEL_TITLES } from '../kit/channelWords.ts';
import { Badge, ZonedTime } from '../kit/components.tsx';
import { Followed } from './events.tsx';
import { addressInSandbox } from './location.ts';
import { DoButton } from './parts.tsx';
import { PhoneView } from './phone.tsx';
import type { Opened, SandboxPageProps } from './reads.ts';
import { Shipments } from './shipments.tsx';
import type { OpenedRow } from './sql.ts';
import { capturedBadge, reportsOn } from './words.ts';

type OpenedProps = SandboxPageProps & { opened: Opened };

/** One captured message: as the person sees it, what they and the provider can do, and the events that followed. */
export function OpenedMessage(props: OpenedProps) {
  const { site, place, opened } = props;
  const { message } = opened;
  return (
    <section class="opened" aria-labelledby="opened-title">
      <header data-region id="opened-head">
        <p class="back">
          <a href={addressInSandbox(site, '/sandbox', { ...place, open: null })}>All that was sent</a>
        </p>
        <h2 id="opened-title">
          {CHANNEL_TITLES[message.channel]} to <bdi>{message.recipient}</bdi>
        </h2>
        <p class="facts">
          <Badge {...capturedBadge(message)} />
          <span>
            from <bdi>{message.business_name}</bdi>
          </span>
          <ZonedTime at={message.at} />
        </p>
        {standingOf(message).map((text) => (
          <p class="standing">{text}</p>
        ))}
      </header>
      <Actions {...props} />
      {message.channel === 'email' ? <Email {...props} /> : <PhoneView {...props} />}
      <Followed {...props} />
    </section>
  );
}

/** The person's choices and the message's state, if they are the reason why nothing more is sent. */
function standingOf(message: OpenedRow): string[] {
  const { channel, message_status: status } = message;
  const isStopped =
    (channel === 'sms' && message.sms_status === 'stopped') ||
    (channel === 'whatsapp' && message.whatsapp_status === 'stopped');
  return [
    message.unsubscribed_at !== null && 'This customer has unsubscribed: nothing is sent to them any more.',
    isStopped && stopWords(message),
    status === 'retracted' && 'The message was retracted.',
    status === 'obsolete' && 'The message is obsolete.',
  ].filter((text) => text !== false);
}

function stopWords({ channel, sms_stopped_by: stoppedBy }: OpenedRow): string {
  if (channel === 'whatsapp') return 'This customer stopped WhatsApp messages, for good.';
  return stoppedBy === 'text'
    ? 'This customer answered STOP: no more SMS until they answer START.'
    : 'This customer stopped SMS in the inbox or the dashboard: a START by SMS does not lift that.';
}

const REPLIES = { email: [], sms: ['STOP', 'START'], whatsapp: ['STOP'] } as const;

function Actions(props: OpenedProps) {
  const { site, place, opened } = props;
  const { message, link } = opened;
  const to = (path: string) => addressInSandbox(site, `/sandbox/${path}`, { ...place, open: message.id });
  const unsubscribe = /^<(https?:\/\/[^>]+)>$/.exec(message.headers['List-Unsubscribe'] ?? '')?.[1];
  return (
    <div class="reports" data-region id="reports">
      <div>
        <h3>The customer</h3>
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
        {REPLIES[message.channel].map((body) => (
          <DoButton
            id={`reply-${body.toLowerCase()}`}
            action={to(`${message.channel}/inbound`)}
            values={{ from: message.recipient, business_id: message.business_id, body }}
            label={`Reply ${body}`}
          />
        ))}
      </div>
      <div>
        <h3>The provider reports</h3>
        {reportsOn[message.channel].map((status) => (
          <DoButton
            id={`report-${status}`}
            action={to('reports')}
            values={{ provider_id: message.provider_id, status }}
            label={status}
          />
        ))}
      </div>
      {opened.shipments.length > 0 && <Shipments {...props} />}
    </div>
  );
}

/** The mail as a client shows it, in an inert frame, beside its source. */
function Email({ site, opened: { message } }: OpenedProps) {
  const headers = { To: message.recipient, Subject: message.subject ?? '', ...message.headers };
  return (
    <div class="email" data-region id={`email-${message.id}`}>
      <div class="mail">
        <p class="mail-head" dir="auto">
          <strong>{message.subject ?? 'No subject'}</strong>
          <span>{message.business_name}</span>
        </p>
        <iframe
          src={site.to(`/sandbox/messages/${message.id}/email`)}
          title="The mail as the customer sees it"
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
            {Object.entries(headers).map(([name, value]) => (
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
