import type { Words } from '../../../language/words.ts';
import { linkify } from '../../kit/linkify.ts';
import type { InboxSite } from '../layout.tsx';
import type { InboxMessage } from './story.ts';

interface MessageProps {
  site: InboxSite;
  message: InboxMessage;
  formToken: string;
  /** Unfolded because the person just opened it or came for it. */
  unfolded: boolean;
}

/**
 * One message in the list. While it is unread, its text is not in the page, and the folded message is a button
 * that opens it, with and without a script; afterwards it folds by itself.
 */
export function Message({ site, message, formToken, unfolded }: MessageProps): JSX.Element {
  return (
    <li
      id={`m-${message.id}`}
      class={['message', message.status, isUnread(message) && 'unread']}
      data-version={versionOf(message)}
    >
      {message.body === null ? (
        <form method="post" action={site.paths.openMessage(message.id)} data-open>
          <input type="hidden" name="csrf" value={formToken} />
          <button type="submit" class="line">
            <Line words={site.words} message={message} />
          </button>
        </form>
      ) : (
        <details open={unfolded}>
          <summary class="line">
            <Line words={site.words} message={message} />
          </summary>
          <div class="text">
            <State site={site} message={message} />
            <div class="body" dir="auto">
              <Body text={message.body} />
            </div>
          </div>
        </details>
      )}
    </li>
  );
}

/** Visible without opening: the subject, the time and the state. */
function Line({ words, message }: { words: Words; message: InboxMessage }): JSX.Element {
  const { subject, status, orderStatus, createdAt, updatedAt } = message;
  return (
    <>
      <span class="subject" dir="auto">
        {subject}
      </span>
      <span class="facts">
        {isUnread(message) && <Mark label={words.text('message.new')} isNew />}
        {status === 'retracted' && <Mark label={words.text('message.takenBack')} />}
        {status === 'obsolete' && <Mark label={words.text('message.replaced')} />}
        {orderStatus !== null && <span>{words.text(`status.${orderStatus}`)}</span>}
        {status === 'active' && updatedAt > createdAt ? (
          <span>{words.html('message.updated', { time: <Moment words={words} at={updatedAt} /> })}</span>
        ) : (
          <Moment words={words} at={createdAt} />
        )}
      </span>
    </>
  );
}

function Mark({ label, isNew = false }: { label: string; isNew?: boolean }): JSX.Element {
  return <span class={['mark', isNew && 'mark-new']}>{label}</span>;
}

function State({ site, message }: { site: InboxSite; message: InboxMessage }): JSX.Element | null {
  const said = stateOf(site, message);
  return said && <p class="state">{said}</p>;
}

function stateOf({ words, paths }: InboxSite, message: InboxMessage): JSX.Element | null {
  const { status, endedAt, replacedBy, createdAt, updatedAt } = message;
  if (status === 'retracted' && endedAt !== null)
    return words.html('message.wasTakenBackOn', { time: <Moment words={words} at={endedAt} /> });
  if (status === 'obsolete')
    return replacedBy === null ? (
      <span>{words.text('message.outOfDate')}</span>
    ) : (
      words.html('message.replacedBy', {
        subject: (
          <a href={paths.inbox({ open: replacedBy.id })} dir="auto">
            {replacedBy.subject}
          </a>
        ),
      })
    );
  if (updatedAt <= createdAt) return null;
  return words.html('message.firstSent', {
    sent: <Moment words={words} at={createdAt} />,
    updated: <Moment words={words} at={updatedAt} />,
  });
}

/** Plain text; the stylesheet keeps its line breaks. */
function Body({ text }: { text: string }): JSX.Element {
  return (
    <>
      {linkify(text).map((piece) =>
        piece.kind === 'link' ? (
          <a href={piece.href} rel="noopener noreferrer nofollow" target="_blank" dir="ltr">
            {piece.text}
          </a>
        ) : (
          <span>{piece.text}</span>
        ),
      )}
    </>
  );
}

/** Changes whenever the message would look different, so that a live page replaces only changed messages. */
const versionOf = (message: InboxMessage): string =>
  [message.status, message.updatedAt.getTime(), isUnread(message) ? 'unread' : 'read'].join('.');

const isUnread = ({ body }: InboxMessage): boolean => body === null;

/** A time in UTC, which the script converts to the reader's zone. */
export function Moment({ words, at }: { words: Words; at: Date }): JSX.Element {
  return <time datetime={at.toISOString()}>{words.moment(at)}</time>;
}
