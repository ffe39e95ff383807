import type { RecipientView } from '../../../contract/recipients.ts';
import { describedTag } from '../../../language/languages.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { Badge, LinkLine, Panel, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import type { Page } from '../layout.tsx';
import { messagesPath } from '../messages/filters.tsx';
import { MessageTable } from '../messages/views.tsx';
import { PushButton } from '../push/filledIn.tsx';
import { RecipientActions, type RecipientProps, SuppressionsPanel } from './actionViews.tsx';

/** A customer: how they can be reached, what they agreed to, and their newest messages. */
export function recipientPage(props: RecipientProps): Page {
  const { visit, id, recipient, messages } = props;
  const consents = recipient.consents.map(({ at, channel, action, source }) => ({
    at,
    text: `${CHANNEL_TITLES[channel]} ${action}, by ${source}`,
    tone: action === 'granted' || action === 'started' ? ('good' as const) : ('waiting' as const),
  }));
  return {
    title: 'Customer',
    at: 'recipients',
    within: [],
    heading: (
      <header class="message-head">
        <div class="title-row">
          <h1>{recipient.recipient_email}</h1>
          <PushButton visit={visit} about={{ recipient: id }} />
        </div>
        <p class="hint">
          {recipient.messages === 1 ? '1 message' : `${recipient.messages} messages`}, the first on{' '}
          <ZonedTime at={recipient.first_seen_at} />
        </p>
      </header>
    ),
    children: (
      <div class="columns">
        <div class="column">
          <ReachPanel {...props} />
          <SuppressionsPanel {...props} />
          <Panel id="consent" title="Consent">
            {consents.length === 0 && <p class="hint">Nothing was agreed to or stopped yet.</p>}
            <TimelineSteps steps={consents} />
          </Panel>
        </div>
        <div class="column">
          <RecipientActions {...props} />
          <Panel id="newest" title="Newest messages">
            <MessageTable visit={visit} messages={messages} />
            <LinkLine href={visit.to(messagesPath({ recipient: id }))} label="All their messages" />
          </Panel>
        </div>
      </div>
    ),
  };
}

function ReachPanel({ recipient: { email, sms, whatsapp, phone, language } }: RecipientProps) {
  const ways = [
    { name: 'Email', standing: emailStanding(email), at: email.at, source: null },
    { name: 'SMS', standing: CONSENT[sms.status], ...sms },
    { name: 'WhatsApp', standing: CONSENT[whatsapp.status], ...whatsapp },
  ];
  return (
    <Panel id="reach" title="How they can be reached">
      <ul class="rows">
        {ways.map(({ name, standing, at, source }) => (
          <li class="row">
            <span>
              <strong>{name}</strong>
              {at !== null && (
                <span class="hint">
                  since <ZonedTime at={at} />
                  {source !== null && `, by ${source}`}
                </span>
              )}
            </span>
            <Badge {...standing} />
          </li>
        ))}
      </ul>
      <p>{phone === null ? 'No number is known.' : `Number: ${phone}`}</p>
      <p>{language === null ? 'Language: that of the shop.' : `Language: ${describedTag(language)}`}</p>
    </Panel>
  );
}

const CONSENT: Record<RecipientView['sms']['status'], Flash> = {
  none: { tone: 'plain', text: 'Not agreed to' },
  active: { tone: 'good', text: 'Agreed to' },
  stopped: { tone: 'bad', text: 'Stopped' },
};

const SUPPRESSED: Record<NonNullable<RecipientView['email']['reason']>, string> = {
  hard_bounce: 'Bounced: no more email',
  complaint: 'Marked as spam: no more email',
  unsubscribed: 'Unsubscribed from everything',
  operator: 'Stopped by an operator',
};

const emailStanding = ({ reason }: RecipientView['email']): Flash =>
  reason === null ? { tone: 'good', text: 'Can be mailed' } : { tone: 'bad', text: SUPPRESSED[reason] };
