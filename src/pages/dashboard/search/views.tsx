import { knownWord } from '../../../contract/orders.ts';
import type { Children } from '../../../kit/jsxRuntime.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { Badge, EmptyState, LinkLine, Pager, Panel, ZonedTime } from '../../kit/components.tsx';
import { ListTable } from '../../kit/listTable.tsx';
import { withQuery } from '../../kit/request.ts';
import type { InShop, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { messagesPath, orderPath } from '../messages/filters.tsx';
import { MessageTable } from '../messages/views.tsx';
import { statusTone } from '../orders/shipments.tsx';
import type { FoundOrder } from '../orders/sql.ts';
import { CustomerTable } from '../recipients/views.tsx';
import type { Found } from './find.ts';

/** What was typed, and the same sealed, as addresses have it. */
interface Searched {
  text: string;
  find: string;
}

const searchPath = (parameters: Record<string, string>): string => withQuery('/search', parameters);

/** A few of each kind, with the way to all. */
export function resultsPage(visit: ShopVisit, search: (Searched & { found: Found }) | null): Page {
  const groups = search === null ? [] : groupsOf({ visit, ...search }).filter((group) => group !== false);
  return {
    title: 'Search',
    searched: search?.text ?? null,
    heading: (
      <h1 dir="auto">{groups.length === 0 || search === null ? 'Search' : `Search for “${search.text}”`}</h1>
    ),
    children:
      groups.length === 0 ? (
        <WhatCanBeFound
          title={search === null ? 'Find what you need' : `Nothing was found for “${search.text}”`}
        />
      ) : (
        <div class="column">{groups}</div>
      ),
  };
}

function groupsOf({ visit, find, found }: InShop<Searched & { found: Found }>) {
  const { customers, orders, messages } = found;
  return [
    customers.items.length > 0 && (
      <FoundOfKind
        title="Customers"
        all={customers.hasMore && visit.to(searchPath({ find, of: 'customers' }))}
      >
        <CustomerTable visit={visit} customers={customers.items} />
      </FoundOfKind>
    ),
    orders.items.length > 0 && (
      <FoundOfKind title="Orders" all={orders.hasMore && visit.to(searchPath({ find, of: 'orders' }))}>
        <OrderTable visit={visit} orders={orders.items} />
      </FoundOfKind>
    ),
    (messages.items.length > 0 || messages.hasMore) && (
      <FoundOfKind title="Messages" all={messages.hasMore && visit.to(messagesPath({ find }))}>
        {messages.items.length > 0 && <MessageTable visit={visit} messages={messages.items} />}
      </FoundOfKind>
    ),
  ];
}

interface FoundOfKindProps {
  title: 'Customers' | 'Orders' | 'Messages';
  /** Where all of them are listed; false: these are all. */
  all: string | false;
  children: Children;
}

const FoundOfKind = ({ title, all, children }: FoundOfKindProps) => (
  <Panel id={`found-${title.toLowerCase()}`} title={title}>
    {children}
    {all !== false && <LinkLine href={all} label={`All ${title.toLowerCase()} …`} />}
  </Panel>
);

const WhatCanBeFound = ({ title }: { title: string }) => (
  <EmptyState title={title}>
    <p>
      Search for a customer by the beginning of their address or by their whole number with its country (+372
      …), for an order by the beginning of its number, and for a message by its id or by words of its subject
      or their beginnings.
    </p>
  </EmptyState>
);

/** A part of all that was found of one kind. `seal` makes of the last row's key what leads on. */
interface FoundPart<Row> {
  items: Row[];
  hasMore: boolean;
}
type SearchedWithSeal = Searched & { seal(last: string): string };

export const allCustomersPage = (visit: ShopVisit, at: SearchedWithSeal, part: Found['customers']): Page =>
  partPage(
    visit,
    at,
    'customers',
    part,
    ({ email }) => email,
    (customers) => <CustomerTable visit={visit} customers={customers} />,
  );

export const allOrdersPage = (visit: ShopVisit, at: SearchedWithSeal, part: Found['orders']): Page =>
  partPage(
    visit,
    at,
    'orders',
    part,
    ({ reference }) => reference,
    (orders) => <OrderTable visit={visit} orders={orders} />,
  );

function partPage<Row>(
  visit: ShopVisit,
  { text, find, seal }: SearchedWithSeal,
  of: 'customers' | 'orders',
  { items, hasMore }: FoundPart<Row>,
  keyOf: (row: Row) => string,
  tableOf: (rows: readonly Row[]) => JSX.Element,
): Page {
  const last = items.at(-1);
  return {
    title: 'Search',
    searched: text,
    heading: <h1 dir="auto">{`${of === 'customers' ? 'Customers' : 'Orders'} beginning with “${text}”`}</h1>,
    children: (
      <>
        {items.length === 0 ? (
          <EmptyState title="There are no more" />
        ) : (
          <div class="panel list-panel">{tableOf(items)}</div>
        )}
        <Pager
          links={[
            [visit.to(searchPath({ find })), 'All that was found'],
            hasMore &&
              last !== undefined && [
                visit.to(searchPath({ find, of, after: seal(keyOf(last)) })),
                `More ${of}`,
              ],
          ]}
        />
      </>
    ),
  };
}

const OrderTable = ({ visit, orders }: InShop<{ orders: readonly FoundOrder[] }>) => (
  <ListTable
    caption="Orders"
    rows={orders}
    columns={[
      {
        title: 'Order',
        place: 'name',
        cell: ({ reference }) => (
          <a href={visit.to(orderPath(reference))} dir="auto">
            {reference}
          </a>
        ),
      },
      {
        title: 'State',
        place: 'mark',
        cell: ({ status }) => {
          const word = knownWord(status);
          return word !== null && <Badge tone={statusTone(word)} text={statusLabel(word)} />;
        },
      },
      {
        title: 'Changed',
        place: 'end',
        aside: true,
        cell: (order) => <ZonedTime at={order.updated_at} near />,
      },
    ]}
  />
);
