import type { Children } from '../../../kit/jsxRuntime.ts';
import type { Words } from '../../../language/words.ts';
import type { TrackedShipment } from '../../../orders/shipmentReadsSql.ts';
import { linkify } from '../../kit/linkify.ts';
import { type InboxSite, OuterLink } from '../layout.tsx';
import type { InboxMessage } from './story.ts';

interface MessageProps {
  site: InboxSite;
  message: InboxMessage;
  /** Of its order. */
  shipments: readonly TrackedShipment[];
  formToken: string;
  /** Unfolded because the person just opened it or came for it. */
  unfolded: boolean;
}

/**
 * One message in the list. While it is unread, its text is not in the page, and the folded message is a button
 * that opens it, with and without a script; afterwards it folds by itself.
 */
export function Message({ site, message, shipments, formToken, unfolded }: MessageProps) {
  const state = stateOf(site, message);
  return (
    <li
      id={`m-${message.id}`}
      class={['message', message.status, isUnread(message) && 'unread']}
      data-version={versionOf(message)}
    >
      <span id={`at-${message.id}`} class="place" />
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
            {state && <p class="state">{state}</p>}
            <div class="body" dir="auto">
              {linked(message.body, shipments)}
            </div>
          </div>
        </details>
      )}
    </li>
  );
}

/** Visible without opening: the subject, the time and the state. */
function Line({ words, message }: { words: Words; message: InboxMessage }) {
  const { subject, status, orderStatus, createdAt, updatedAt } = message;
  return (
    <>
      <span class="subject" dir="auto">
        {subject}
      </span>
      <span class="facts">
        {isUnread(message) && <Mark label={words.text('message.new')} isNew />}
        {status === 'retracted' && <Mark label={words.text('message.retracted')} />}
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

const Mark = ({ label, isNew = false }: { label: string; isNew?: boolean }) => (
  <span class={['mark', isNew && 'mark-new']}>{label}</span>
);

/** Why a message is not as it was sent; null: it is. */
function stateOf({ words, paths }: InboxSite, message: InboxMessage): Children {
  const { status, endedAt, replacedBy, createdAt, updatedAt } = message;
  const time = (at: Date) => <Moment words={words} at={at} />;
  if (status === 'retracted' && endedAt !== null)
    return words.html('message.retractedOn', { time: time(endedAt) });
  if (status === 'obsolete' && replacedBy !== null) {
    const subject = (
      <a href={paths.inbox({ open: replacedBy.id })} dir="auto">
        {replacedBy.subject}
      </a>
    );
    return words.html('message.replacedBy', { subject });
  }
  if (status === 'obsolete') return words.text('message.outOfDate');
  if (updatedAt <= createdAt) return null;
  return words.html('message.firstSent', { sent: time(createdAt), updated: time(updatedAt) });
}

/** Plain text; the stylesheet keeps its line breaks. */
const linked = (text: string, shipments: readonly TrackedShipment[]): Children =>
  linkify(text, trackingUrlsOf(shipments)).map((piece) =>
    piece.kind === 'text' ? piece.text : <OuterLink href={piece.href} text={piece.text} />,
  );

const trackingUrlsOf = (shipments: readonly TrackedShipment[]): Map<string, string> =>
  new Map(
    shipments.flatMap(({ trackingNumber, trackingUrl }) =>
      trackingUrl === null ? [] : [[trackingNumber, trackingUrl] as const],
    ),
  );

/** Changes whenever the message would look different, so that a live page replaces only changed messages. */
const versionOf = (message: InboxMessage): string =>
  [message.status, message.updatedAt.getTime(), isUnread(message) ? 'unread' : 'read'].join('.');

const isUnread = ({ body }: InboxMessage): boolean => body === null;

/** A time in UTC, which the script converts to the reader's zone. */
export const Moment = ({ words, at }: { words: Words; at: Date }) => (
  <time datetime={at.toISOString()}>{words.moment(at)}</time>
);
