import { Badge, EmptyState, Pager, ZonedTime } from '../../kit/components.tsx';
import type { ListPage } from '../../kit/listPage.ts';
import { type ListColumn, ListTable } from '../../kit/listTable.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import type { ListedRecipient } from './sql.ts';

export function recipientsPage(
  visit: ShopVisit,
  { items, next_cursor: older }: ListPage<ListedRecipient>,
  cursor: string | null,
): Page {
  const path = visit.to('/recipients');
  return {
    title: 'Customers',
    at: 'recipients',
    children: (
      <>
        {items.length === 0 ? (
          <EmptyState
            title="No customers yet"
            text="They appear here with the first message that your shop pushes to them."
          />
        ) : (
          <div class="panel list-panel">
            <CustomerTable visit={visit} customers={items} />
          </div>
        )}
        <Pager
          links={[
            cursor !== null && [path, 'Newest'],
            older !== null && [`${path}?cursor=${encodeURIComponent(older)}`, 'Older customers'],
          ]}
        />
      </>
    ),
  };
}

/** Customers by their address, with their number, what they stopped, and since when they are known. */
export const CustomerTable = ({ visit, customers }: InShop<{ customers: readonly ListedRecipient[] }>) => (
  <ListTable caption="Customers" columns={columnsOf(visit.to('/recipients'))} rows={customers} />
);

const columnsOf = (path: string): readonly ListColumn<ListedRecipient>[] => [
  {
    title: 'Customer',
    place: 'name',
    cell: ({ id, email }) => <a href={`${path}/${id}`}>{email}</a>,
  },
  { title: 'Number', place: 'under', aside: true, cell: ({ phone }) => phone ?? 'No number' },
  {
    title: 'State',
    place: 'mark',
    cell: ({ unsubscribed, sms_status, whatsapp_status }) => (
      <span class="badges">
        {unsubscribed && <Badge tone="bad" text="Unsubscribed" />}
        {sms_status === 'stopped' && <Badge tone="bad" text="SMS stopped" />}
        {whatsapp_status === 'stopped' && <Badge tone="bad" text="WhatsApp stopped" />}
      </span>
    ),
  },
  {
    title: 'Since',
    place: 'end',
    aside: true,
    cell: (customer) => <ZonedTime at={customer.created_at} near />,
  },
];
