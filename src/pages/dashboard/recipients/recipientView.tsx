import type { RecipientView } from '../../../contract/recipientView.ts';
import { describedTag } from '../../../language/languages.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { Badge, type BadgeTone, FlashNote, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import { messagesPath } from '../messages/filters.tsx';
import { MessageItem } from '../messages/views.tsx';
import { type NumberFault, RecipientActions, SuppressionsPanel } from './actionViews.tsx';
import type { SuppressionsOf } from './reads.ts';

interface RecipientProps {
  site: Site;
  visit: ShopVisit;
  id: string;
  recipient: RecipientView;
  /** The newest ones. */
  messages: readonly MessageWithPlan[];
  suppressions: SuppressionsOf;
  flash: Flash | null;
  fault: NumberFault | null;
}

/** A customer: how they can be reached, what they agreed to, and their newest messages. */
export function recipientPage(props: RecipientProps): string {
  const { site, visit, id, recipient, messages, suppressions, flash, fault } = props;
  const path = site.to(`/dashboard/${visit.shop.id}/recipients/${id}`);
  const all = site.to(
    messagesPath(visit.shop.id, { recipient: id, reference: null, status: null, cursor: null }),
  );
  return dashboardPage({
    site,
    title: 'Customer',
    visit,
    at: 'recipients',
    children: (
      <>
        {flash && <FlashNote {...flash} />}
        <header class="message-head">
          <h1>{recipient.recipient_email}</h1>
          <p class="hint">
            <span>{recipient.messages === 1 ? '1 message' : `${recipient.messages} messages`}</span>, the
            first on <ZonedTime at={recipient.first_seen_at} />
          </p>
        </header>
        <div class="columns">
          <div class="column">
            <section class="panel" aria-labelledby="reach">
              <h2 id="reach">How they can be reached</h2>
              <ul class="rows">
                <Way name="Email" outcome={emailOutcome(recipient.email)} at={recipient.email.at} by={null} />
                <Way
                  name="Texts"
                  outcome={CONSENT[recipient.sms.status]}
                  at={recipient.sms.at}
                  by={recipient.sms.source}
                />
                <Way
                  name="WhatsApp"
                  outcome={CONSENT[recipient.whatsapp.status]}
                  at={recipient.whatsapp.at}
                  by={recipient.whatsapp.source}
                />
              </ul>
              <p>{recipient.phone === null ? 'No number is known.' : `Number: ${recipient.phone}`}</p>
              <p>
                {recipient.language === null
                  ? 'Language: that of the shop.'
                  : `Language: ${describedTag(recipient.language)}`}
              </p>
            </section>
            <SuppressionsPanel
              path={path}
              visit={visit}
              suppressions={withUnsubscription(recipient, suppressions)}
            />
            <section class="panel" aria-labelledby="consent">
              <h2 id="consent">Consent</h2>
              {recipient.consents.length === 0 && <p class="hint">Nothing was agreed to or stopped yet.</p>}
              <TimelineSteps
                steps={recipient.consents.map(({ at, channel, action, source }) => ({
                  at,
                  text: `${CHANNELS[channel]} ${action}, by ${source}`,
                  tone: action === 'granted' || action === 'started' ? 'good' : 'waiting',
                }))}
              />
            </section>
          </div>
          <div class="column">
            <RecipientActions path={path} visit={visit} recipient={recipient} fault={fault} />
            <section class="panel" aria-labelledby="newest">
              <h2 id="newest">Newest messages</h2>
              <ul class="rows">
                {messages.map((message) => (
                  <MessageItem site={site} shopId={visit.shop.id} message={message} />
                ))}
              </ul>
              <p>
                <a href={all}>All their messages</a>
              </p>
            </section>
          </div>
        </div>
      </>
    ),
  });
}

/** An unsubscription in the inbox is kept with the person, one of an erased person among the suppressions. */
const withUnsubscription = (
  { email }: RecipientView,
  { reasons, forAll }: SuppressionsOf,
): SuppressionsOf => ({
  reasons:
    !email.unsubscribed || email.at === null || reasons.some(({ reason }) => reason === 'unsubscribe')
      ? reasons
      : [{ reason: 'unsubscribe', at: new Date(email.at) }, ...reasons],
  forAll,
});

const CHANNELS = { email: 'Email', sms: 'Texts', whatsapp: 'WhatsApp' } as const;

type Standing = readonly [BadgeTone, string];

const CONSENT: Record<RecipientView['sms']['status'], Standing> = {
  none: ['plain', 'Not agreed to'],
  active: ['good', 'Agreed to'],
  stopped: ['bad', 'Stopped'],
};

const SUPPRESSED: Record<NonNullable<RecipientView['email']['reason']>, Standing> = {
  hard_bounce: ['bad', 'Bounced: no more email'],
  complaint: ['bad', 'Marked as spam: no more email'],
  unsubscribed: ['bad', 'Unsubscribed from everything'],
  operator: ['bad', 'Stopped by an operator'],
};

const emailOutcome = ({ reason }: RecipientView['email']): Standing =>
  reason === null ? ['good', 'Can be mailed'] : SUPPRESSED[reason];

function Way({
  name,
  outcome: [tone, text],
  at,
  by,
}: {
  name: string;
  outcome: Standing;
  at: string | null;
  by: string | null;
}): JSX.Element {
  return (
    <li class="row">
      <span>
        <strong>{name}</strong>
        {at !== null && (
          <span class="hint">
            since <ZonedTime at={at} />
            {by !== null && <span>{`, by ${by}`}</span>}
          </span>
        )}
      </span>
      <Badge tone={tone} text={text} />
    </li>
  );
}
