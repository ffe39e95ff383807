import type { DomainState } from '../../../businesses/domains/sql.ts';
import type { Settings } from '../../../businesses/settings.ts';
import type { Channel } from '../../../contract/channels.ts';
import { statementOfBusinesses } from '../../../db/perBusiness.ts';
import { statement } from '../../../db/statement.ts';

/** The newest shops before an id: ids begin with their time. */
export const listShops = statement<[before: string, limit: number], { id: string }>(`
  select id from businesses where id < $1 order by id desc limit $2`);

/** As in the index businesses_by_words, which no other expression can use. */
const WORDS = String.raw`to_tsvector('simple', translate(name, '.,:;/\_-@&''"+*()!?#%=<>[]{}|~^$${'`'}', repeat(' ', 40)))`;

/** The newest shops before an id whose names have these words, given as a query. */
export const findShopsByWords = statement<[query: string, before: string, limit: number], { id: string }>(`
  select id from businesses where ${WORDS} @@ to_tsquery('simple', $1) and id < $2 order by id desc limit $3`);

type ListedSettings = Pick<
  Settings,
  | 'id'
  | 'name'
  | 'active'
  | 'paused'
  | 'plan'
  | 'periodEnd'
  | 'smsMode'
  | 'whatsappMode'
  | 'lowBalanceThreshold'
  | 'createdAt'
>;

export interface ListedShop extends ListedSettings {
  balance: number;
  reserved: number;
  ranLow: boolean;
  ownEmailSender: string | null;
  /** Of that sender; null: none that we check. */
  domain: string | null;
  domain_state: DomainState | null;
  failing_since: Date | null;
}

/** What a list shows of some shops, and what it warns by. */
export const readListedShops = statementOfBusinesses<[businessIds: readonly string[]], ListedShop>(
  ['businesses'],
  `
  select b.id, b.name, b.active, b.paused, b.plan, b.plan_period_end as "periodEnd", b.sms_mode as "smsMode",
    b.whatsapp_mode as "whatsappMode", b.low_balance_threshold as "lowBalanceThreshold", b.created_at as "createdAt",
    coalesce(c.balance, 0) as balance, coalesce(c.reserved, 0) as reserved, coalesce(c.low_balance_notified, false) as "ranLow",
    s.address as "ownEmailSender", d.domain, d.state as domain_state, d.failing_since
  from businesses b
  left join credit_accounts c on c.business_id = b.id
  left join business_senders s on s.business_id = b.id and s.channel = 'email'
  left join sender_domains d on d.business_id = b.id
  where b.id = any ($1::text[])`,
);

export const shopExists = statement<[id: string], { id: string }>(`
  select id from businesses where id = $1`);

export interface WaitingSends {
  channel: Channel;
  waiting: number;
  due: number;
  /** When the longest-waiting one became due, or will. */
  oldest: Date;
}

/** What waits to be sent for one shop, up to a limit, by the index on due sends. */
export const waitingSendsOf = statement<[businessId: string, now: Date, limit: number], WaitingSends>(`
  select channel, count(*)::int as waiting, (count(*) filter (where due_at <= $2))::int as due, min(due_at) as oldest
  from (select channel, due_at from sends where business_id = $1 and due_at is not null limit $3) s
  group by channel order by channel`);
