import { isAllowed } from '../../../members/permissions.ts';
import type { ListedReply } from '../../../recipients/repliesSql.ts';
import { Badge, EmptyState, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { ReplyList } from './reads.ts';

interface RepliesProps {
  site: Site;
  visit: ShopVisit;
  list: ReplyList;
  cursor: string | null;
  flash: Flash | null;
}

export function repliesPage({ site, visit, list, cursor, flash }: RepliesProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/replies`);
  const newestUnread = list.items.find((reply) => reply.read_at === null);
  const mayMark = isAllowed(visit.role, 'reply.read');
  return dashboardPage({
    site,
    title: 'Replies',
    visit,
    at: 'replies',
    children: (
      <>
        <h1>Replies</h1>
        {flash && <FlashNote {...flash} />}
        {list.items.length === 0 ? (
          <EmptyState title={cursor === null ? 'No replies yet' : 'No older replies'}>
            <p>
              What customers write back on WhatsApp appears here, and stays for 90 days. Answer them by mail
              or by phone: replies cannot be answered from here.
            </p>
          </EmptyState>
        ) : (
          <>
            {mayMark && newestUnread && cursor === null && (
              <ActionForm action={`${path}/read`} formToken={visit.session.formToken}>
                <div>
                  <input type="hidden" name="up_to" value={newestUnread.id} />
                  <button class="button quiet" type="submit">
                    Mark all as read
                  </button>
                </div>
              </ActionForm>
            )}
            <ul class="panel rows">
              {list.items.map((reply) => (
                <li class="row reply-row">
                  <ReplyText site={site} visit={visit} reply={reply} linked />
                  {mayMark && reply.read_at === null && (
                    <MarkRead path={`${path}/${reply.id}`} visit={visit} stay={false} />
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
        <p class="pager">
          {cursor !== null && <a href={path}>Unread and newest</a>}
          {list.next_cursor !== null && (
            <a href={`${path}?cursor=${encodeURIComponent(list.next_cursor)}`}>More replies</a>
          )}
        </p>
      </>
    ),
  });
}

/** One reply: where the mail about it leads. */
export function shopReplyPage({
  site,
  visit,
  reply,
  flash,
}: {
  site: Site;
  visit: ShopVisit;
  reply: ListedReply;
  flash: Flash | null;
}): string {
  const path = site.to(`/dashboard/${visit.shop.id}/replies`);
  return dashboardPage({
    site,
    title: 'A reply',
    visit,
    at: 'replies',
    children: (
      <>
        {flash && <FlashNote {...flash} />}
        <h1>A reply on WhatsApp</h1>
        <section class="panel" aria-label="The reply">
          <ReplyText site={site} visit={visit} reply={reply} linked={false} />
          {isAllowed(visit.role, 'reply.read') && reply.read_at === null && (
            <MarkRead path={`${path}/${reply.id}`} visit={visit} stay />
          )}
        </section>
        <p>
          <a href={path}>All replies</a>
        </p>
      </>
    ),
  });
}

function ReplyText({
  site,
  visit,
  reply,
  linked,
}: {
  site: Site;
  visit: ShopVisit;
  reply: ListedReply;
  /** Whether the time leads to the page of the reply. */
  linked: boolean;
}): JSX.Element {
  const below = (path: string): string => site.to(`/dashboard/${visit.shop.id}${path}`);
  const at = <ZonedTime at={reply.received_at.toISOString()} />;
  return (
    <div class="reply">
      <p class="hint">
        {reply.read_at === null && <Badge tone="waiting" text="Unread" />}{' '}
        <a href={below(`/recipients/${reply.recipient_id}`)}>{reply.email}</a>,{' '}
        {linked ? <a href={below(`/replies/${reply.id}`)}>{at}</a> : at}
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
            <a href={below(`/messages/${reply.message_id}`)} dir="auto">
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

function MarkRead({ path, visit, stay }: { path: string; visit: ShopVisit; stay: boolean }): JSX.Element {
  return (
    <ActionForm action={`${path}/read`} formToken={visit.session.formToken}>
      <div>
        {stay && <input type="hidden" name="stay" value="1" />}
        <button class="button quiet" type="submit">
          Mark as read
        </button>
      </div>
    </ActionForm>
  );
}
