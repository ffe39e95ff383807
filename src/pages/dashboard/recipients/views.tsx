import { Badge, EmptyState, FlashNote, Pager, ZonedTime } from '../../kit/components.tsx';
import { FinderForm } from '../../kit/forms.tsx';
import type { ListPage } from '../../kit/listPage.ts';
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
          <ul class="panel customer-rows">
            {items.map((customer) => (
              <CustomerItem path={path} customer={customer} />
            ))}
          </ul>
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

const CustomerItem = ({ path, customer }: { path: string; customer: ListedRecipient }) => (
  <li class="message-row">
    <a class="message-link" href={`${path}/${customer.id}`}>
      {customer.email}
    </a>
    <span class="message-reference">{customer.phone ?? 'No number'}</span>
    <span class="message-time">
      since <ZonedTime at={customer.created_at} />
    </span>
    <span class="badges">
      {customer.unsubscribed && <Badge tone="bad" text="Unsubscribed" />}
      {customer.sms_status === 'stopped' && <Badge tone="bad" text="Texts stopped" />}
      {customer.whatsapp_status === 'stopped' && <Badge tone="bad" text="WhatsApp stopped" />}
    </span>
  </li>
);
