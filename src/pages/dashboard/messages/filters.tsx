import type { ListedMessage } from '../../../contract/messages.ts';
import { ORDER_STATUSES, statusLabel } from '../../../nudges/orderStatus.ts';
import { FilterBar, FormField, HiddenFields, SelectField } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import type { EmailOutcomeFilter, PaidOutcomeFilter } from './outcomeFilters.ts';
import type { MessagesFilter } from './query.ts';

/** The list's path in its shop; the page `.csv` is the same as a file. */
export function messagesPath(filter: Partial<MessagesFilter>, page = ''): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== null) query.set(name, value);
  return `/messages${page}${query.size === 0 ? '' : `?${query}`}`;
}

/** The path of an order in its shop. In the query: as part of the path, `..` would lead elsewhere. */
export const orderPath = (reference: string): string => `/orders?${new URLSearchParams({ reference })}`;

const ANY = ['', 'Any'] as const;

const STATUS_CHOICES = [
  ANY,
  ['active', 'Current'],
  ['obsolete', 'Replaced'],
  ['retracted', 'Retracted'],
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

const CHOICES = [
  ['email', 'Email', EMAIL_CHOICES],
  ['sms', 'Text', PAID_CHOICES],
  ['whatsapp', 'WhatsApp', WHATSAPP_CHOICES],
  ['order_status', 'Order', ORDER_CHOICES],
  ['status', 'Message', STATUS_CHOICES],
] as const;
const DAYS = [
  ['from', 'From (UTC)'],
  ['to', 'Until (UTC)'],
] as const;

/** The filters, folded while none is set. They add to what was searched for. */
export function MessageFilterForm({
  visit,
  filter,
}: {
  visit: ShopVisit;
  filter: MessagesFilter;
}): JSX.Element {
  const set = [...CHOICES, ...DAYS].filter(([name]) => filter[name] !== null).length;
  const { recipient, reference, find } = filter;
  return (
    <details class="filters" open={set > 0}>
      <summary>{set === 0 ? 'Filter' : `Filter (${set} set)`}</summary>
      <FilterBar action={visit.to('/messages')}>
        <div class="filter-fields">
          <HiddenFields values={{ recipient, reference, find }} />
          {CHOICES.map(([name, label, options]) => (
            <SelectField id={name} label={label} value={filter[name] ?? ''} options={options} />
          ))}
          {DAYS.map(([name, label]) => (
            <FormField id={name} label={label} type="date" value={filter[name] ?? undefined} />
          ))}
        </div>
      </FilterBar>
    </details>
  );
}
