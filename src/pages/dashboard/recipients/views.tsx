import { Badge, EmptyState, FlashNote, Pager, ZonedTime } from '../../kit/components.tsx';
import { FinderForm } from '../../kit/forms.tsx';
import type { ListPage } from '../../kit/listPage.ts';
import { type ListColumn, ListTable } from '../../kit/listTable.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import type { ListedRecipient } from './sql.ts';

/** `notFound`: a search text that nobody was found for. */
export function recipientsPage(
  visit: ShopVisit,
  { items, next_cursor: older }: ListPage<ListedRecipient>,
  cursor: string | null,
  notFound: string | null,
): Page {
  const path = visit.to('/recipients');
  return {
    title: 'Customers',
    at: 'recipients',
    children: (
      <>
        <FinderForm
          visit={visit}
          action={`${path}/search`}
          label="Find a customer by address, or by their whole number"
          value={notFound}
        />
        {notFound !== null && (
          <FlashNote
            tone="waiting"
            text={`Nobody was found for “${notFound}”: no customer of this shop has exactly this address or number. These are the newest customers.`}
          />
        )}
        {items.length === 0 ? (
          <EmptyState
            title="No customers yet"
            text="They appear here with the first message that your shop pushes to them."
          />
        ) : (
          <div class="panel list-panel">
            <ListTable caption="Customers" columns={columnsOf(path)} rows={items} />
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

/** A customer by their address, their number, since when, and what they stopped. */
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
