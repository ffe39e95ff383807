import type { ListedReply } from '../../../recipients/repliesSql.ts';
import { Badge, EmptyState, LinkLine, Pager, ZonedTime } from '../../kit/components.tsx';
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
                  <ReplyText visit={visit} reply={reply} linked />
                  <MarkRead visit={visit} reply={reply} stay={false} />
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
  heading: 'A reply on WhatsApp',
  children: (
    <>
      <section class="panel" aria-label="The reply">
        <ReplyText visit={visit} reply={reply} linked={false} />
        <MarkRead visit={visit} reply={reply} stay />
      </section>
      <LinkLine href={visit.to('/replies')} label="All replies" />
    </>
  ),
});

interface ReplyProps {
  visit: ShopVisit;
  reply: ListedReply;
}

/** `linked`: whether the time leads to the page of the reply. */
function ReplyText({ visit, reply, linked }: ReplyProps & { linked: boolean }): JSX.Element {
  const at = <ZonedTime at={reply.received_at} />;
  return (
    <div class="reply">
      <p class="hint">
        {reply.read_at === null && <Badge tone="waiting" text="Unread" />}{' '}
        <a href={visit.to(`/recipients/${reply.recipient_id}`)}>{reply.email}</a>,{' '}
        {linked ? <a href={visit.to(`/replies/${reply.id}`)}>{at}</a> : at}
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
      </p>
    </div>
  );
}

/** `stay`: whether the same page is shown afterwards. */
function MarkRead({ visit, reply, stay }: ReplyProps & { stay: boolean }): JSX.Element | null {
  if (reply.read_at !== null || !visit.may('reply.read')) return null;
  return (
    <PostForm visit={visit} action={visit.to(`/replies/${reply.id}/read`)} label="Mark as read" look="quiet">
      <HiddenFields values={{ stay: stay ? '1' : null }} />
    </PostForm>
  );
}
