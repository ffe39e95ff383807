import type { Plan } from '../../../businesses/settings.ts';
import type { Channel } from '../../../contract/channels.ts';
import { statement } from '../../../db/statement.ts';

export interface ListedShop {
  id: string;
  name: string;
  active: boolean;
  paused: boolean;
  plan: Plan;
  periodEnd: Date | null;
  balance: number;
  created_at: Date;
}

const COLUMNS = `
  b.id, b.name, b.active, b.paused, b.plan, b.plan_period_end as "periodEnd", b.created_at, coalesce(c.balance, 0) as balance`;

/** The newest shops before an id: ids begin with their time. */
export const listShops = statement<[before: string, limit: number], ListedShop>(`
  select ${COLUMNS} from businesses b left join credit_accounts c on c.business_id = b.id
  where b.id < $1 order by b.id desc limit $2`);

/** As in the index businesses_by_words, which no other expression can use. */
const WORDS = String.raw`to_tsvector('simple', translate(b.name, '.,:;/\_-@&''"+*()!?#%=<>[]{}|~^$${'`'}', repeat(' ', 40)))`;

/** The newest shops before an id whose names have these words, given as a query. */
export const findShopsByWords = statement<[query: string, before: string, limit: number], ListedShop>(`
  select ${COLUMNS} from businesses b left join credit_accounts c on c.business_id = b.id
  where ${WORDS} @@ to_tsquery('simple', $1) and b.id < $2 order by b.id desc limit $3`);

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
