import { ORDER_STATUSES } from '../../../contract/orderStatuses.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { FilterBar, FormField, HiddenFields, SelectField } from '../../kit/forms.tsx';
import { withQuery } from '../../kit/request.ts';
import type { InShop } from '../context.ts';
import { EMAIL_OUTCOMES, type MessagesFilter, PAID_OUTCOMES } from './query.ts';

/** The list's path in its shop; the page `.csv` is the same as a file. One day is one value: charts have hundreds of such paths. */
export function messagesPath({ from, to, ...filter }: Partial<MessagesFilter>, page = ''): string {
  return withQuery(`/messages${page}`, { ...(from === to ? { day: from } : { from, to }), ...filter });
}

/** The path of an order in its shop. In the query: as part of the path, `..` would lead elsewhere. */
export const orderPath = (reference: string): string => withQuery('/orders', { reference });

const ANY = ['', 'Any'] as const;

const STATUS_CHOICES = [
  ANY,
  ['active', 'Current'],
  ['obsolete', 'Replaced'],
  ['retracted', 'Retracted'],
] as const satisfies readonly (readonly [MessagesFilter['status'] | '', string])[];

const EMAIL_CHOICES = [ANY, ...EMAIL_OUTCOMES];
const WHATSAPP_CHOICES = [ANY, ...PAID_OUTCOMES];
/** Nobody learns whether an SMS was read. */
const SMS_CHOICES = WHATSAPP_CHOICES.filter(([value]) => value !== 'read');
export const ORDER_STATUS_OPTIONS = ORDER_STATUSES.map((status) => [status, statusLabel(status)] as const);

const CHOICES = [
  ['email', 'Email', EMAIL_CHOICES],
  ['sms', 'SMS', SMS_CHOICES],
  ['whatsapp', 'WhatsApp', WHATSAPP_CHOICES],
  ['order_status', 'Order', [ANY, ...ORDER_STATUS_OPTIONS]],
  ['status', 'Message', STATUS_CHOICES],
] as const;
const DAYS = [
  ['from', 'From (UTC)'],
  ['to', 'Until (UTC)'],
] as const;

/** The filters, folded while none is set. They add to what was searched for. */
export function MessageFilterForm({ visit, filter }: InShop<{ filter: MessagesFilter }>) {
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
