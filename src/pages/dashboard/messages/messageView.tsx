import { channels, type PaidChannel, paidChannels } from '../../../contract/channels.ts';
import type { Delivery, PaidDelivery } from '../../../contract/messages.ts';
import type { StoryItem } from '../../../messages/timeline.ts';
import { timelineSentence } from '../../../messages/timelineWords.ts';
import { CHANNEL_TITLES, PAID_NOUNS } from '../../kit/channelWords.ts';
import { FactList, LinkButton, Panel, ZonedTime } from '../../kit/components.tsx';
import { FoldedForm, PostForm } from '../../kit/forms.tsx';
import { linkify } from '../../kit/linkify.ts';
import type { InShop, ShopVisit } from '../context.ts';
import { shownCredits } from '../credits/words.ts';
import { type Page, updatesItself } from '../layout.tsx';
import type { ResendPreview } from './actions.ts';
import { orderPath } from './filters.tsx';
import { OutcomeBadges } from './outcomes.tsx';
import type { ShownMessage } from './reads.ts';
import { EventsPanel, SendsPanel } from './sends.tsx';
import { ProviderCode, StoryPanel } from './story.tsx';
import { MessageTable } from './views.tsx';

/** `seen`: what the page shows, for its stream of changes. */
type MessageProps = InShop<ShownMessage & { seen: string }>;

export function messagePage(props: MessageProps): Page {
  const { visit, message, timeline, sends, others, seen } = props;
  const answers = channelAnswers(timeline, message.delivery);
  return {
    title: message.subject,
    at: 'messages',
    within: [],
    live: { seen, messageId: message.id },
    heading: <MessageHead {...props} />,
    children: (
      <div class="columns">
        <div
          class="column"
          {...updatesItself(visit.to(`/messages/${message.id}`), 'became', ['outcomes', 'sent'])}
        >
          <Panel id="answers" title="What became of it">
            <FactList
              facts={answers.map(({ channel, says, code }) => [
                CHANNEL_TITLES[channel],
                [says, <ProviderCode code={code} />],
              ])}
            />
          </Panel>
          <StoryPanel items={timeline} />
        </div>
        <div class="column">
          <CustomerPanel {...props} />
          <MessageActions {...props} />
          <div class="column" id="sent">
            {sends.length > 0 && <SendsPanel {...props} />}
            <EventsPanel {...props} />
          </div>
          {others.length > 0 && (
            <Panel id="others" title="Other messages of this order">
              <MessageTable visit={visit} messages={others} />
            </Panel>
          )}
        </div>
      </div>
    ),
  };
}

const MessageHead = ({ visit, message, recipientId }: MessageProps) => (
  <header class="message-head">
    <h1 dir="auto">{message.subject}</h1>
    <p class="hint">
      To <a href={visit.to(`/recipients/${recipientId}`)}>{message.recipient_email}</a>, pushed{' '}
      <ZonedTime at={message.created_at} />
      {message.reference !== null && (
        <>
          , order{' '}
          <a href={visit.to(orderPath(message.reference))} dir="auto">
            {message.reference}
          </a>
        </>
      )}
    </p>
    <p class="badges" id="outcomes">
      <OutcomeBadges message={message} />
    </p>
  </header>
);

const CustomerPanel = ({ message }: MessageProps) => (
  <Panel id="seen" title="What the customer sees">
    {message.status === 'retracted' && (
      <p class="hint">The message was retracted: their inbox says so and shows none of it.</p>
    )}
    <p class="message-body" dir="auto">
      {linkify(message.body).map((piece) =>
        piece.kind === 'link' ? (
          <a href={piece.href} rel="noreferrer noopener nofollow">
            {piece.text}
          </a>
        ) : (
          piece.text
        ),
      )}
    </p>
  </Panel>
);

function MessageActions({ visit, message }: MessageProps): JSX.Element | null {
  const path = visit.to(`/messages/${message.id}`);
  const mayResend = visit.may('message.resend');
  const mayRetract = visit.may('message.retract');
  if (message.status !== 'active' || !(mayResend || mayRetract)) return null;
  return (
    <Panel id="acts" title="What you can do">
      <div class="acts">
        {mayResend &&
          paidChannels
            .filter((channel) => isOpenFor(message.delivery[channel]))
            .map((channel) => (
              <LinkButton href={`${path}/resend/${channel}`} label={`Send the ${PAID_NOUNS[channel]} …`} />
            ))}
      </div>
      {mayRetract && (
        <FoldedForm title="Retract the message …" visit={visit} action={`${path}/retract`} label="Retract it">
          <p>
            Their inbox then shows that it was retracted. Nudges that have not gone out are cancelled and cost
            nothing; what has gone out stays with the customer.
          </p>
        </FoldedForm>
      )}
    </Panel>
  );
}

/** Whether sending on the channel is worth asking for; the next page says what would happen. */
const isOpenFor = (delivery: PaidDelivery | null): boolean =>
  delivery === null || ['skipped', 'rejected', 'failed'].includes(delivery.status);

type ResendAnswer = NonNullable<ResendPreview> | { refused: string };

/** Says what would happen, and asks. */
export function resendPage(
  visit: ShopVisit,
  messageId: string,
  channel: PaidChannel,
  preview: ResendAnswer,
): Page {
  const path = visit.to(`/messages/${messageId}`);
  const isSendable = 'queued' in preview && preview.queued;
  return {
    title: `Send the ${PAID_NOUNS[channel]}`,
    at: 'messages',
    within: [{ href: path, label: 'The message' }],
    isSheet: true,
    children: (
      <>
        <p>{sentenceFor(channel, preview)}</p>
        {isSendable && <PostForm visit={visit} action={`${path}/resend/${channel}`} label="Send it now" />}
      </>
    ),
  };
}

function sentenceFor(channel: PaidChannel, preview: ResendAnswer): string {
  if ('refused' in preview) return preview.refused;
  return preview.queued
    ? `It goes out at once and costs ${shownCredits(preview.credits)}.`
    : timelineSentence({ kind: 'skipped', channel }, preview.skipped_reason);
}

/** What support asks first: for each channel, the last thing that was decided or happened, and what it cost. */
export const channelAnswers = (items: readonly StoryItem[], delivery: Delivery) =>
  channels.flatMap((channel) => {
    const last = items.findLast((item) => item.channel === channel && !item.kind.startsWith('credits_'));
    if (!last) return [];
    const credits = channel === 'email' ? 0 : (delivery[channel]?.credits_charged ?? 0);
    const cost = `${shownCredits(credits)} ${credits === 1 ? 'was' : 'were'} charged.`;
    return [{ channel, says: credits === 0 ? last.says : `${last.says} ${cost}`, code: last.code }];
  });
