import type { ListedMessage, MessageList } from '../../../../contract/messages.ts';
import { EmptyState, FlashNote, ZonedTime } from '../../shell/components.tsx';
import { ActionForm, FormField } from '../../shell/forms.tsx';
import type { Site } from '../../shell/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from './layout.tsx';
import { OutcomeBadges } from './outcomes.tsx';

export interface MessagesFilter {
  /** The id of a person. */
  recipient: string | null;
  reference: string | null;
  status: ListedMessage['status'] | null;
  cursor: string | null;
}

export function messagesPath(businessId: string, filter: MessagesFilter): string {
  const { recipient, reference, status, cursor } = filter;
  const query = new URLSearchParams({
    ...(recipient !== null && { recipient }),
    ...(reference !== null && { reference }),
    ...(status !== null && { status }),
    ...(cursor !== null && { cursor }),
  }).toString();
  return `/dashboard/${businessId}/messages${query === '' ? '' : `?${query}`}`;
}

interface MessagesProps {
  site: Site;
  visit: ShopVisit;
  filter: MessagesFilter;
  /** The address of the person that the list is about. */
  email: string | null;
  list: MessageList;
  /** A search text that nothing was found for. */
  notFound: string | null;
}

export function messagesPage({ site, visit, filter, email, list, notFound }: MessagesProps): string {
  const { shop, session } = visit;
  const isFiltered = filter.recipient !== null || filter.reference !== null || filter.status !== null;
  const about = email ?? (filter.reference === null ? null : `order ${filter.reference}`);
  const to = (changed: Partial<MessagesFilter>): string =>
    site.to(messagesPath(shop.id, { ...filter, cursor: null, ...changed }));
  return dashboardPage({
    site,
    title: 'Messages',
    visit,
    at: 'messages',
    children: (
      <>
        <h1 safe>{about === null ? 'Messages' : `Messages about ${about}`}</h1>
        <div class="finders">
          <ActionForm action={site.to(`/dashboard/${shop.id}/messages/search`)} formToken={session.formToken}>
            <div class="finder">
              <FormField
                id="text"
                label="Find a customer’s address, an order or a message id"
                type="search"
                value={notFound ?? undefined}
              />
              <button class="button" type="submit">
                Find
              </button>
            </div>
          </ActionForm>
          <nav class="choices" aria-label="Filter by status">
            {STATUS_CHOICES.map(([status, label]) => (
              <a
                class="bar-link"
                href={to({ status })}
                aria-current={status === filter.status ? 'true' : undefined}
              >
                {label}
              </a>
            ))}
          </nav>
        </div>
        {notFound === null ? (
          ''
        ) : (
          <FlashNote
            tone="waiting"
            text={`Nothing was found for “${notFound}”: no customer has this address, and no order or message is called so. These are the newest messages.`}
          />
        )}
        {list.items.length === 0 ? (
          <NoMessages
            site={site}
            shopId={shop.id}
            isFiltered={isFiltered}
            hasMore={list.next_cursor !== null}
          />
        ) : (
          <ul class="panel message-rows">
            {list.items.map((message) => (
              <MessageItem site={site} shopId={shop.id} message={message} />
            ))}
          </ul>
        )}
        <p class="pager">
          {filter.cursor === null ? '' : <a href={to({})}>Newest</a>}
          {list.next_cursor === null ? '' : <a href={to({ cursor: list.next_cursor })}>Older messages</a>}
          {filter.recipient === null ? (
            ''
          ) : (
            <a href={site.to(`/dashboard/${shop.id}/recipients/${filter.recipient}`)}>About this customer</a>
          )}
          {isFiltered ? <a href={site.to(`/dashboard/${shop.id}/messages`)}>All messages</a> : ''}
        </p>
      </>
    ),
  });
}

const STATUS_CHOICES = [
  [null, 'All'],
  ['active', 'Current'],
  ['obsolete', 'Replaced'],
  ['retracted', 'Taken back'],
] as const;

export function MessageItem({
  site,
  shopId,
  message,
}: {
  site: Site;
  shopId: string;
  message: ListedMessage;
}): JSX.Element {
  return (
    <li class="message-row">
      <a class="message-link" href={site.to(`/dashboard/${shopId}/messages/${message.id}`)} dir="auto" safe>
        {message.subject}
      </a>
      <span class="message-to" safe>
        {message.recipient_email}
      </span>
      <span class="message-reference" dir="auto" safe>
        {message.reference ?? ''}
      </span>
      <span class="message-time">
        <ZonedTime at={message.created_at} />
      </span>
      <span class="badges">
        <OutcomeBadges message={message} />
      </span>
    </li>
  );
}

function NoMessages({
  site,
  shopId,
  isFiltered,
  hasMore,
}: {
  site: Site;
  shopId: string;
  isFiltered: boolean;
  hasMore: boolean;
}): JSX.Element {
  if (hasMore)
    return (
      <EmptyState title="None among the newest">
        <p>There may be older ones: go on with “Older messages”.</p>
      </EmptyState>
    );
  if (isFiltered)
    return (
      <EmptyState title="No message is like this">
        <p>
          <a href={site.to(`/dashboard/${shopId}/messages`)}>Show all messages</a>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState title="No messages yet">
      <p>
        They appear here once your shop pushes one. <a href={site.to('/docs')}>The reference</a> shows how.
      </p>
    </EmptyState>
  );
}
