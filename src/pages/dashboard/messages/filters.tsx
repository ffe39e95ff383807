import type { ListedMessage } from '../../../contract/messages.ts';
import { ORDER_STATUSES, statusLabel } from '../../../nudges/orderStatus.ts';
import { FilterBar, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { EmailOutcomeFilter, PaidOutcomeFilter } from './outcomeFilters.ts';

/** What the list is narrowed to, as its address says it. */
export interface MessagesFilter {
  /** The id of a person. */
  recipient: string | null;
  reference: string | null;
  /** Sealed words of subjects: they can name a person, and addresses get into histories and logs. */
  find: string | null;
  status: ListedMessage['status'] | null;
  order_status: string | null;
  email: EmailOutcomeFilter | null;
  sms: PaidOutcomeFilter | null;
  whatsapp: PaidOutcomeFilter | null;
  /** Days in UTC, both inclusive. */
  from: string | null;
  to: string | null;
  cursor: string | null;
}

/** The path of the list; the page `csv` is the same as a file. */
export function messagesPath(businessId: string, filter: Partial<MessagesFilter>, page = ''): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== null) query.set(name, value);
  return `/dashboard/${businessId}/messages${page}${query.size === 0 ? '' : `?${query}`}`;
}

const ANY = ['', 'Any'] as const;

export const STATUS_CHOICES = [
  ANY,
  ['active', 'Current'],
  ['obsolete', 'Replaced'],
  ['retracted', 'Taken back'],
] as const satisfies readonly (readonly [ListedMessage['status'] | '', string])[];

const EMAIL_CHOICES = [
  ANY,
  ['delivered', 'Delivered'],
  ['opened', 'Opened'],
  ['bounced', 'Bounced'],
  ['complained', 'Marked as spam'],
  ['failed', 'Failed'],
  ['not_sent', 'Not sent'],
  ['under_way', 'Under way'],
] as const satisfies readonly (readonly [EmailOutcomeFilter | '', string])[];

const PAID_CHOICES = [
  ANY,
  ['queued', 'Under way'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['rejected', 'Refused'],
  ['skipped', 'Not sent'],
  ['none', 'None'],
] as const satisfies readonly (readonly [PaidOutcomeFilter | '', string])[];

const WHATSAPP_CHOICES = [...PAID_CHOICES, ['read', 'Read']] as const satisfies readonly (readonly [
  PaidOutcomeFilter | '',
  string,
])[];

const ORDER_CHOICES = [ANY, ...ORDER_STATUSES.map((status) => [status, statusLabel[status]] as const)];

/** How many of the folded filters are set. */
const setFilters = ({ status, order_status, email, sms, whatsapp, from, to }: MessagesFilter): number =>
  [status, order_status, email, sms, whatsapp, from, to].filter((value) => value !== null).length;

/** The filters, folded while none is set. They add to what was searched for. */
export function MessageFilterForm({
  site,
  shopId,
  filter,
}: {
  site: Site;
  shopId: string;
  filter: MessagesFilter;
}): JSX.Element {
  const set = setFilters(filter);
  const { recipient, reference, find } = filter;
  return (
    <details class="filters" open={set > 0}>
      <summary>{set === 0 ? 'Filter' : `Filter (${set} set)`}</summary>
      <FilterBar action={site.to(`/dashboard/${shopId}/messages`)}>
        <div class="filter-fields">
          {Object.entries({ recipient, reference, find }).map(
            ([name, value]) => value !== null && <input type="hidden" name={name} value={value} />,
          )}
          <SelectField id="email" label="Email" value={filter.email ?? ''} options={EMAIL_CHOICES} />
          <SelectField id="sms" label="Text" value={filter.sms ?? ''} options={PAID_CHOICES} />
          <SelectField
            id="whatsapp"
            label="WhatsApp"
            value={filter.whatsapp ?? ''}
            options={WHATSAPP_CHOICES}
          />
          <SelectField
            id="order_status"
            label="Order"
            value={filter.order_status ?? ''}
            options={ORDER_CHOICES}
          />
          <SelectField id="status" label="Message" value={filter.status ?? ''} options={STATUS_CHOICES} />
          <FormField id="from" label="From (UTC)" type="date" value={filter.from ?? undefined} />
          <FormField id="to" label="Until (UTC)" type="date" value={filter.to ?? undefined} />
        </div>
      </FilterBar>
    </details>
  );
}
