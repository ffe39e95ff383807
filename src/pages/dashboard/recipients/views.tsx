import { Badge, EmptyState, FlashNote, ZonedTime } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { RecipientList } from './reads.ts';
import type { ListedRecipient } from './sql.ts';

interface RecipientsProps {
  site: Site;
  visit: ShopVisit;
  list: RecipientList;
  cursor: string | null;
  flash: Flash | null;
  notFound: string | null;
}

export function recipientsPage({ site, visit, list, cursor, flash, notFound }: RecipientsProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/recipients`);
  return dashboardPage({
    site,
    title: 'Customers',
    visit,
    at: 'recipients',
    children: (
      <>
        <h1>Customers</h1>
        {flash && <FlashNote {...flash} />}
        <ActionForm action={`${path}/search`} formToken={visit.session.formToken}>
          <div class="finder">
            <FormField
              id="text"
              label="Find a customer by address, or by their whole number"
              type="search"
              value={notFound ?? undefined}
              autocomplete="off"
            />
            <button class="button" type="submit">
              Find
            </button>
          </div>
        </ActionForm>
        {notFound !== null && (
          <FlashNote
            tone="waiting"
            text={`Nobody was found for “${notFound}”: no customer of this shop has exactly this address or number. These are the newest customers.`}
          />
        )}
        {list.items.length === 0 ? (
          <EmptyState title="No customers yet">
            <p>They appear here with the first message that your shop pushes to them.</p>
          </EmptyState>
        ) : (
          <ul class="panel customer-rows">
            {list.items.map((customer) => (
              <CustomerItem path={path} customer={customer} />
            ))}
          </ul>
        )}
        <p class="pager">
          {cursor !== null && <a href={path}>Newest</a>}
          {list.next_cursor !== null && (
            <a href={`${path}?cursor=${encodeURIComponent(list.next_cursor)}`}>Older customers</a>
          )}
        </p>
      </>
    ),
  });
}

function CustomerItem({ path, customer }: { path: string; customer: ListedRecipient }): JSX.Element {
  const stopped = [
    customer.unsubscribed ? 'Unsubscribed' : null,
    customer.sms_status === 'stopped' ? 'Texts stopped' : null,
    customer.whatsapp_status === 'stopped' ? 'WhatsApp stopped' : null,
  ].filter((text) => text !== null);
  return (
    <li class="message-row">
      <a class="message-link" href={`${path}/${customer.id}`}>
        {customer.email}
      </a>
      <span class="message-reference">{customer.phone ?? 'No number'}</span>
      <span class="message-time">
        since <ZonedTime at={customer.created_at.toISOString()} />
      </span>
      <span class="badges">
        {stopped.map((text) => (
          <Badge tone="bad" text={text} />
        ))}
      </span>
    </li>
  );
}
