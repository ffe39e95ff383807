import type { PaidDelivery, ViewedMessage } from '../../../contract/messages.ts';
import type { TimelineItem } from '../../../contract/timeline.ts';
import { isAllowed } from '../../../members/permissions.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import type { TimelineSend } from '../../../messages/timelineSql.ts';
import { type BadgeTone, FlashNote, TimelineSteps, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm } from '../../kit/forms.tsx';
import { linkify } from '../../kit/linkify.ts';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage, updatesItself } from '../layout.tsx';
import { orderPath } from '../orders/path.ts';
import { channelAnswers } from './channelAnswers.ts';
import { OutcomeBadges } from './outcomes.tsx';
import { EventsPanel, SendsPanel } from './sends.tsx';
import type { EventOfMessage } from './sql.ts';
import { MessageItem } from './views.tsx';

interface MessageProps {
  site: Site;
  visit: ShopVisit;
  message: ViewedMessage & MessageWithPlan;
  recipientId: string;
  timeline: readonly TimelineItem[];
  sends: readonly TimelineSend[];
  events: readonly EventOfMessage[];
  /** Other messages of the same order. */
  others: readonly MessageWithPlan[];
  now: Date;
  flash: Flash | null;
  /** What the page shows, for its stream of changes. */
  seen: string;
}

const CHANNEL_NAMES = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp' } as const;

export function messagePage(props: MessageProps): string {
  const { site, visit, message, recipientId, timeline, sends, events, others, now, flash, seen } = props;
  const path = site.to(`/dashboard/${visit.shop.id}/messages/${message.id}`);
  return dashboardPage({
    site,
    title: message.subject,
    visit,
    at: 'messages',
    live: { seen, messageId: message.id },
    children: (
      <>
        {flash && <FlashNote {...flash} />}
        <header class="message-head">
          <h1 dir="auto">{message.subject}</h1>
          <p class="hint">
            To{' '}
            <a href={site.to(`/dashboard/${visit.shop.id}/recipients/${recipientId}`)}>
              {message.recipient_email}
            </a>
            , pushed <ZonedTime at={message.created_at} />
            {message.reference !== null && (
              <>
                , order{' '}
                <a href={site.to(orderPath(visit.shop.id, message.reference))} dir="auto">
                  {message.reference}
                </a>
              </>
            )}
          </p>
          <p class="badges" id="outcomes">
            <OutcomeBadges message={message} />
          </p>
        </header>
        <div class="columns">
          <div class="column" {...updatesItself(path, 'told', ['outcomes', 'sent'])}>
            <AnswersPanel timeline={timeline} />
            <StoryPanel timeline={timeline} />
          </div>
          <div class="column">
            <CustomerPanel message={message} />
            <ActsPanel site={site} visit={visit} message={message} />
            <div class="column" id="sent">
              <SendsPanel sends={sends} now={now} />
              <EventsPanel site={site} visit={visit} events={events} />
            </div>
            {others.length > 0 && (
              <section class="panel" aria-labelledby="others">
                <h2 id="others">Other messages of this order</h2>
                <ul class="rows">
                  {others.map((other) => (
                    <MessageItem site={site} shopId={visit.shop.id} message={other} />
                  ))}
                </ul>
              </section>
            )}
          </div>
        </div>
      </>
    ),
  });
}

function AnswersPanel({ timeline }: { timeline: readonly TimelineItem[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="answers">
      <h2 id="answers">What became of it</h2>
      <dl class="answers">
        {channelAnswers(timeline).map(({ channel, says }) => (
          <div>
            <dt>{CHANNEL_NAMES[channel]}</dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function StoryPanel({ timeline }: { timeline: readonly TimelineItem[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="story">
      <h2 id="story">The story</h2>
      <TimelineSteps
        steps={timeline.map(({ at, kind, says }) => ({ at, text: says, tone: storyTone(kind) }))}
      />
    </section>
  );
}

const GOOD: readonly TimelineItem['kind'][] = ['opened', 'delivered', 'read'];
const BAD: readonly TimelineItem['kind'][] = ['bounced', 'complained', 'failed', 'rejected'];
const STOPPED: readonly TimelineItem['kind'][] = ['skipped', 'cancelled', 'retried'];

const storyTone = (kind: TimelineItem['kind']): BadgeTone =>
  GOOD.includes(kind) ? 'good' : BAD.includes(kind) ? 'bad' : STOPPED.includes(kind) ? 'waiting' : 'plain';

function CustomerPanel({ message }: { message: ViewedMessage }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="seen">
      <h2 id="seen">What the customer sees</h2>
      {message.status === 'retracted' && (
        <p class="hint">The message was taken back: their inbox says so and shows none of it.</p>
      )}
      <p class="message-body" dir="auto">
        {linkify(message.body).map((piece) =>
          piece.kind === 'link' ? (
            <a href={piece.href} rel="noreferrer noopener nofollow">
              {piece.text}
            </a>
          ) : (
            <span>{piece.text}</span>
          ),
        )}
      </p>
    </section>
  );
}

function ActsPanel({
  site,
  visit,
  message,
}: {
  site: Site;
  visit: ShopVisit;
  message: ViewedMessage;
}): JSX.Element | null {
  const path = site.to(`/dashboard/${visit.shop.id}/messages/${message.id}`);
  const mayResend = isAllowed(visit.role, 'message.resend') && message.status === 'active';
  const mayRetract = isAllowed(visit.role, 'message.retract') && message.status === 'active';
  if (!mayResend && !mayRetract) return null;
  return (
    <section class="panel" aria-labelledby="acts">
      <h2 id="acts">What you can do</h2>
      <div class="acts">
        {mayResend && isOpenFor(message.delivery.sms) && (
          <a class="button quiet" href={`${path}/resend/sms`}>
            Send the text …
          </a>
        )}
        {mayResend && isOpenFor(message.delivery.whatsapp) && (
          <a class="button quiet" href={`${path}/resend/whatsapp`}>
            Send the WhatsApp message …
          </a>
        )}
      </div>
      {mayRetract && (
        <details>
          <summary>Take the message back …</summary>
          <ActionForm action={`${path}/retract`} formToken={visit.session.formToken}>
            <div class="stack">
              <p>
                Their inbox then shows that it was taken back. Nudges that have not gone out are called off
                and cost nothing; those that have cannot be called back.
              </p>
              <button class="button" type="submit">
                Take it back
              </button>
            </div>
          </ActionForm>
        </details>
      )}
    </section>
  );
}

/** Whether sending on the channel is worth asking for; the next page says what would happen. */
const isOpenFor = (delivery: PaidDelivery | null): boolean =>
  delivery === null || ['skipped', 'rejected', 'failed'].includes(delivery.status);
