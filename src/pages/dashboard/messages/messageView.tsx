import { channels } from '../../../contract/channels.ts';
import type { Delivery } from '../../../contract/messages.ts';
import type { JudgedResend } from '../../../messages/resend.ts';
import type { StoryItem } from '../../../messages/timeline.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { FactList, Panel, ZonedTime } from '../../kit/components.tsx';
import type { InShop } from '../context.ts';
import { shownCredits } from '../credits/words.ts';
import { type Page, updatesItself } from '../layout.tsx';
import type { ComposedNudge, ShownAs } from './customerReads.ts';
import { CUSTOMER_PART, CustomerPanel, shownPath } from './customerView.tsx';
import { orderPath } from './filters.tsx';
import { OutcomeBadges } from './outcomes.tsx';
import type { ShownMessage } from './reads.ts';
import { MessageActions } from './resendView.tsx';
import { EventsPanel, SendsPanel } from './sends.tsx';
import { ProviderCode, StoryPanel } from './story.tsx';
import { MessageTable } from './views.tsx';

/** `seen`: what the page shows, for its stream of changes. */
type MessageProps = InShop<
  ShownMessage & {
    seen: string;
    shownAs: ShownAs;
    wording: ComposedNudge | null;
    /** None where the member may not. */
    resends: readonly JudgedResend[];
  }
>;

export function messagePage(props: MessageProps): Page {
  const { visit, message, timeline, pushers, sends, others, seen, shownAs } = props;
  // A frame would load again, and shows nothing that changes by itself.
  const alsoUpdated = ['outcomes', 'sent', ...(shownAs === 'json' ? [CUSTOMER_PART] : [])];
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
          {...updatesItself(visit.to(shownPath(message.id, shownAs)), 'became', alsoUpdated)}
        >
          <Panel id="answers" title="What became of it">
            <FactList
              facts={answers.map(({ channel, says, code }) => [
                CHANNEL_TITLES[channel],
                [says, <ProviderCode code={code} />],
              ])}
            />
          </Panel>
          <StoryPanel items={timeline} pushers={pushers} />
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

/** It would fill the screen as a heading. */
const LONG_SUBJECT = 100;

const MessageHead = ({ visit, message, recipientId, pushedBy, pushers }: MessageProps) => (
  <header class="message-head">
    <h1 dir="auto" class={[message.subject.length > LONG_SUBJECT && 'long']}>
      {message.subject}
    </h1>
    <p class="hint">
      To <a href={visit.to(`/recipients/${recipientId}`)}>{message.recipient_email}</a>, pushed{' '}
      <ZonedTime at={message.created_at} />
      {pushedBy !== null && ` by ${pushers.get(pushedBy)}`}
      {message.reference !== null && (
        <>
          , order{' '}
          <a href={visit.to(orderPath(message.reference))} dir="auto">
            {message.reference}
          </a>
        </>
      )}
    </p>
    <p class="hint">
      Id{' '}
      <span class="copied" data-copy>
        <code>{message.id}</code>
      </span>
    </p>
    <p class="badges" id="outcomes">
      <OutcomeBadges message={message} />
    </p>
  </header>
);

/** What support asks first: for each channel, the last thing that was decided or happened, and what it cost. */
export const channelAnswers = (items: readonly StoryItem[], delivery: Delivery) =>
  channels.flatMap((channel) => {
    const last = items.findLast((item) => item.channel === channel && !item.kind.startsWith('credits_'));
    if (!last) return [];
    const credits = channel === 'email' ? 0 : (delivery[channel]?.credits_charged ?? 0);
    const cost = `${shownCredits(credits)} ${credits === 1 ? 'was' : 'were'} charged.`;
    return [{ channel, says: credits === 0 ? last.says : `${last.says} ${cost}`, code: last.code }];
  });
