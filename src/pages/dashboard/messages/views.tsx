import { isAllowed } from '../../../members/permissions.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { EmptyState, FlashNote, ZonedTime } from '../../kit/components.tsx';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage, updatesItself } from '../layout.tsx';
import { orderPath } from '../orders/path.ts';
import { MessageFilterForm, type MessagesFilter, messagesPath } from './filters.tsx';
import { OutcomeBadges } from './outcomes.tsx';

interface ShownList {
  items: readonly MessageWithPlan[];
  next_cursor: string | null;
}

interface MessagesProps {
  site: Site;
  visit: ShopVisit;
  filter: MessagesFilter;
  /** The address of the person that the list is about. */
  email: string | null;
  /** The words of subjects that were searched for. */
  words: string | null;
  list: ShownList;
  /** A search text that nothing was found for. */
  notFound: string | null;
  /** What the list shows, for its stream of changes. */
  seen: string;
}

export function messagesPage(props: MessagesProps): string {
  const { site, visit, filter, email, words, list, notFound, seen } = props;
  const { shop, session } = visit;
  const path = site.to(messagesPath(shop.id, filter));
  return dashboardPage({
    site,
    title: 'Messages',
    visit,
    at: 'messages',
    live: { seen, messageId: null },
    children: (
      <>
        <div class="title-row">
          <h1 dir="auto">{titleOf(filter, email, words)}</h1>
          {isAllowed(visit.role, 'message.push') && (
            <a class="button quiet" href={site.to(`/dashboard/${shop.id}/push`)}>
              Push a message …
            </a>
          )}
        </div>
        <div class="finders">
          <ActionForm action={site.to(`/dashboard/${shop.id}/messages/search`)} formToken={session.formToken}>
            <div class="finder">
              <FormField
                id="text"
                label="Find a customer’s address, an order, an id or a subject"
                type="search"
                value={notFound ?? words ?? undefined}
              />
              <button class="button" type="submit">
                Find
              </button>
            </div>
          </ActionForm>
        </div>
        <MessageFilterForm site={site} shopId={shop.id} filter={filter} />
        {notFound !== null && (
          <FlashNote
            tone="waiting"
            text={`Nothing was found for “${notFound}”: no customer has this address, no order or message is called so, and no subject has these words. These are the newest messages.`}
          />
        )}
        <div class="column" {...updatesItself(path, 'found')}>
          <FoundMessages site={site} visit={visit} filter={filter} list={list} />
        </div>
      </>
    ),
  });
}

function titleOf({ reference }: MessagesFilter, email: string | null, words: string | null): string {
  const about = email ?? (reference === null ? null : `order ${reference}`);
  const title = about === null ? 'Messages' : `Messages about ${about}`;
  return words === null ? title : `${title} with “${words}”`;
}

/** The part of the page that updates itself. */
function FoundMessages({
  site,
  visit,
  filter,
  list,
}: Pick<MessagesProps, 'site' | 'visit' | 'filter' | 'list'>): JSX.Element {
  const shopId = visit.shop.id;
  const { recipient, reference } = filter;
  const isFiltered = Object.entries(filter).some(([name, value]) => name !== 'cursor' && value !== null);
  const to = (changed: Partial<MessagesFilter>, page = ''): string =>
    site.to(messagesPath(shopId, { ...filter, cursor: null, ...changed }, page));
  return (
    <>
      {list.items.length === 0 ? (
        <NoMessages site={site} shopId={shopId} isFiltered={isFiltered} hasMore={list.next_cursor !== null} />
      ) : (
        <ul class="panel message-rows">
          {list.items.map((message) => (
            <MessageItem site={site} shopId={shopId} message={message} />
          ))}
        </ul>
      )}
      <p class="pager">
        {filter.cursor !== null && <a href={to({})}>Newest</a>}
        {list.next_cursor !== null && <a href={to({ cursor: list.next_cursor })}>Older messages</a>}
        {recipient !== null && (
          <a href={site.to(`/dashboard/${shopId}/recipients/${recipient}`)}>About this customer</a>
        )}
        {reference !== null && <a href={site.to(orderPath(shopId, reference))}>About this order</a>}
        {isFiltered && <a href={site.to(`/dashboard/${shopId}/messages`)}>All messages</a>}
        {list.items.length > 0 && isAllowed(visit.role, 'message.export') && (
          <a href={to({}, '.csv')}>Download as CSV</a>
        )}
      </p>
    </>
  );
}

export function MessageItem({
  site,
  shopId,
  message,
}: {
  site: Site;
  shopId: string;
  message: MessageWithPlan;
}): JSX.Element {
  return (
    <li class="message-row">
      <a
        class="message-link"
        id={`m-${message.id}`}
        href={site.to(`/dashboard/${shopId}/messages/${message.id}`)}
        dir="auto"
      >
        {message.subject}
      </a>
      <span class="message-to">{message.recipient_email}</span>
      <span class="message-reference" dir="auto">
        {message.reference}
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
