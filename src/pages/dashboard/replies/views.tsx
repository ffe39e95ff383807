import { timelineSentence } from '../../../messages/timelineWords.ts';
import type { ListedReply } from '../../../recipients/repliesSql.ts';
import { Badge, EmptyState, Pager, ZonedTime } from '../../kit/components.tsx';
import { HiddenFields, PostForm } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import type { ReplyList } from './reads.ts';

export function repliesPage(
  visit: ShopVisit,
  { items, next_cursor: more }: ReplyList,
  cursor: string | null,
): Page {
  const path = visit.to('/replies');
  const newestUnread = items.find((reply) => reply.read_at === null);
  return {
    title: 'Replies',
    at: 'replies',
    children: (
      <>
        {items.length === 0 ? (
          <EmptyState
            title={cursor === null ? 'No replies yet' : 'No older replies'}
            text="What customers write back on WhatsApp appears here, and stays for 90 days. Answer them by mail or by phone: replies cannot be answered from here."
          />
        ) : (
          <>
            {visit.may('reply.read') && newestUnread && cursor === null && (
              <PostForm visit={visit} action={`${path}/read`} label="Mark all as read" look="quiet">
                <HiddenFields values={{ up_to: newestUnread.id }} />
              </PostForm>
            )}
            <ul class="panel rows">
              {items.map((reply) => (
                <li class="row reply-row">
                  <Reply visit={visit} reply={reply} />
                </li>
              ))}
            </ul>
          </>
        )}
        <Pager
          links={[
            cursor !== null && [path, 'Unread and newest'],
            more !== null && [`${path}?cursor=${encodeURIComponent(more)}`, 'More replies'],
          ]}
        />
      </>
    ),
  };
}

/** One reply: where the mail about it leads. */
export const shopReplyPage = (visit: ShopVisit, reply: ListedReply): Page => ({
  title: 'A reply',
  at: 'replies',
  within: [],
  heading: 'A reply on WhatsApp',
  children: (
    <>
      <section class="panel" aria-label="The reply">
        <Reply visit={visit} reply={reply} alone />
      </section>
    </>
  ),
});

interface ReplyProps {
  visit: ShopVisit;
  reply: ListedReply;
  /** On a page of its own, which is shown again after the reply was marked as read. */
  alone?: boolean;
}

function Reply({ visit, reply, alone = false }: ReplyProps) {
  const path = visit.to(`/replies/${reply.id}`);
  const at = <ZonedTime at={reply.received_at} />;
  return (
    <>
      <div class="reply">
        <p class="hint">
          {reply.read_at === null && <Badge tone="waiting" text="Unread" />}{' '}
          <a href={visit.to(`/recipients/${reply.recipient_id}`)}>{reply.email}</a>,{' '}
          {alone ? at : <a href={path}>{at}</a>}
        </p>
        <p class="message-body" dir="auto">
          {reply.body}
        </p>
        <p class="hint">
          {reply.message_id === null ? (
            'The message that it answers is not known.'
          ) : (
            <>
              In answer to{' '}
              <a href={visit.to(`/messages/${reply.message_id}`)} dir="auto">
                {reply.subject ?? 'a message'}
              </a>
              {reply.reference !== null && (
                <>
                  , order <bdi>{reply.reference}</bdi>
                </>
              )}
            </>
          )}
          {reply.not_acknowledged !== null &&
            ` It was not acknowledged. ${timelineSentence({ kind: 'skipped', channel: 'whatsapp' }, reply.not_acknowledged)}`}
        </p>
      </div>
      {reply.read_at === null && visit.may('reply.read') && (
        <PostForm visit={visit} action={`${path}/read`} label="Mark as read" look="quiet">
          <HiddenFields values={{ stay: alone ? '1' : null }} />
        </PostForm>
      )}
    </>
  );
}
