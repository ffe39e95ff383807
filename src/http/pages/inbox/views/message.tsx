import { linkify } from '../../../../inbox/linkify.ts';
import type { InboxMessage } from '../../../../inbox/story.ts';
import { statusLabel } from '../../../../nudges/orderStatus.ts';
import type { InboxSite } from './layout.tsx';

interface MessageProps {
  site: InboxSite;
  message: InboxMessage;
  formToken: string;
  /** Unfolded because the person just opened it or came for it. */
  unfolded: boolean;
}

/**
 * One message in the list. Until it is opened, its text is not in the page, and the folded message is a button
 * that opens it, with and without a script; afterwards it folds by itself.
 */
export function Message({ site, message, formToken, unfolded }: MessageProps): JSX.Element {
  return (
    <li
      id={`m-${message.id}`}
      class={['message', message.status, message.openedAt === null && 'unread']}
      data-version={versionOf(message)}
    >
      {message.body === null ? (
        <form method="post" action={site.paths.openMessage(message.id)} data-open>
          <input type="hidden" name="csrf" value={formToken} />
          <button type="submit" class="line">
            <Line message={message} />
          </button>
        </form>
      ) : (
        <details open={unfolded}>
          <summary class="line">
            <Line message={message} />
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
function Line({ message }: { message: InboxMessage }): JSX.Element {
  const { subject, status, orderStatus, createdAt, updatedAt, openedAt } = message;
  return (
    <>
      <span class="subject" dir="auto" safe>
        {subject}
      </span>
      <span class="facts">
        {openedAt === null ? <span class="mark mark-new">New</span> : ''}
        {status === 'retracted' ? <span class="mark">Taken back</span> : ''}
        {status === 'obsolete' ? <span class="mark">Replaced</span> : ''}
        {orderStatus === null ? '' : <span safe>{statusLabel[orderStatus]}</span>}
        {status === 'active' && updatedAt > createdAt ? (
          <span>
            Updated <Moment at={updatedAt} />
          </span>
        ) : (
          <Moment at={createdAt} />
        )}
      </span>
    </>
  );
}

function State({ site, message }: { site: InboxSite; message: InboxMessage }): JSX.Element {
  const { status, endedAt, replacedBy, createdAt, updatedAt } = message;
  if (status === 'retracted') {
    return (
      <p class="state">
        This message was taken back
        {endedAt === null ? (
          ''
        ) : (
          <>
            {' '}
            on <Moment at={endedAt} />
          </>
        )}
        . What it said no longer holds.
      </p>
    );
  }
  if (status === 'obsolete') {
    return (
      <p class="state">
        {replacedBy === null ? (
          'This message is out of date.'
        ) : (
          <>
            Out of date. Replaced by{' '}
            <a href={site.paths.inbox({ open: replacedBy.id })} dir="auto" safe>
              {replacedBy.subject}
            </a>
          </>
        )}
      </p>
    );
  }
  if (updatedAt <= createdAt) return '';
  return (
    <p class="state">
      First sent <Moment at={createdAt} />, updated <Moment at={updatedAt} />.
    </p>
  );
}

/** Plain text; the stylesheet keeps its line breaks. */
function Body({ text }: { text: string }): JSX.Element {
  return (
    <>
      {linkify(text).map((piece) =>
        piece.kind === 'link' ? (
          <a href={piece.href} rel="noopener noreferrer nofollow" target="_blank" dir="ltr" safe>
            {piece.text}
          </a>
        ) : (
          <span safe>{piece.text}</span>
        ),
      )}
    </>
  );
}

/** Changes whenever the message would look different, so that a live page replaces only changed messages. */
const versionOf = ({ status, updatedAt, openedAt }: InboxMessage): string =>
  [status, updatedAt.getTime(), openedAt === null ? 'unread' : 'read'].join('.');

/** A time in UTC, which the script converts to the reader's zone and language. */
export function Moment({ at }: { at: Date }): JSX.Element {
  return (
    <time datetime={at.toISOString()} safe>
      {utc.format(at)}
    </time>
  );
}

const utc = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
});
