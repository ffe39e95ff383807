import { statement } from '../../../db/statement.ts';
import { LAST_CHARACTER } from '../../../kit/ids.ts';

interface MessageOfOrder {
  id: string;
  /** Since when its order status counts. */
  status_at: Date;
  /** Its order status is that of a tracking event. */
  is_milestone: boolean;
  /** What tracking events did with it, oldest first: made it, updated it, or sent nothing since it had told them already. */
  told: { kind: 'pushed' | 'updated' | 'skipped'; at: string }[];
}

/** What these messages have to do with the tracking events of their order: the facts of their timelines, for many at once. */
export const trackingOfMessages = statement<[businessId: string, ids: string[]], MessageOfOrder>(`
  select m.id, coalesce(m.order_status_at, m.created_at) as status_at, m.milestone_at is not null as is_milestone, coalesce((
    select json_agg(json_build_object('at', h.at, 'kind', case
        when h.type = 'message.already_told' then 'skipped' when h.at = m.created_at then 'pushed' else 'updated' end)
      order by h.id)
    from message_events h
    where h.business_id = $1 and h.message_id = m.id and h.type in ('message.milestone', 'message.already_told')), '[]') as told
  from messages m where m.business_id = $1 and m.id = any ($2)`);

export interface FoundOrder {
  reference: string;
  status: string | null;
  updated_at: Date;
}

/** Orders whose reference begins in one of these ways, in its order, after the reference `after`. */
export const ordersBeginning = statement<
  [businessId: string, beginnings: readonly string[], after: string, limit: number],
  FoundOrder
>(`
  select distinct o.reference, o.status, o.updated_at from unnest($2::text[]) b (beginning) cross join lateral (
    select reference, status, updated_at from orders
    where business_id = $1 and reference >= b.beginning and reference > $3 and reference < b.beginning || '${LAST_CHARACTER}'
    order by reference limit $4) o
  order by o.reference limit $4`);
