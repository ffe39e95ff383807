import { statement } from '../db/statement.ts';
import type { DeliverySend } from './delivery.ts';

export interface ListedRow {
  id: string;
  recipient_email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
  reference: string | null;
  order_status: string | null;
  scheduled_for: Date | null;
  created_at: Date;
  updated_at: Date;
  opened_at: Date | null;
  sends: DeliverySend[];
}

export interface ViewedRow extends ListedRow {
  body: string;
}

const COLUMNS = `
  m.id, r.email as recipient_email, m.subject, m.kind, m.status, m.reference, m.order_status, m.scheduled_for,
  m.created_at, m.updated_at, m.opened_at, s.sends`;

/**
 * For each message `m`: whom it is for, and its sends, found by one probe of their index. They come unsorted: asked to
 * sort them, a plan made while the tables were empty would walk the primary key, which is in order, for ever after.
 */
const WITH_SENDS = `
  join recipients r on r.business_id = m.business_id and r.id = m.recipient_id
  cross join lateral (
    select coalesce(json_agg(json_build_object('id', s.id, 'channel', s.channel, 'state', s.state, 'reason', s.reason,
      'error_code', s.error_code, 'credits', s.credits, 'charged', s.charged, 'created_at', s.created_at,
      'submitted_at', s.submitted_at, 'last_status_at', s.last_status_at, 'delivered_at', s.delivered_at,
      'bounced_at', s.bounced_at, 'complained_at', s.complained_at)), '[]') as sends
    from sends s where s.business_id = m.business_id and s.message_id = m.id) s`;

/**
 * A page, newest first: one range of one index, however many messages there are. The limit comes before the joins,
 * so that only what is shown is looked up.
 */
const page = (condition: string, limit: string): string => `
  select ${COLUMNS}
  from (select * from messages where business_id = $1 ${condition} order by id desc limit ${limit}) m
  ${WITH_SENDS}
  order by m.id desc`;

// Four statements and not one with optional conditions: a plan for all cases would read the index from its start.
const OF_RECIPIENT = 'and recipient_id = (select id from recipients where business_id = $1 and email = $2)';

export const newest = statement<[businessId: string, limit: number], ListedRow>(page('', '$2'));

export const newestBefore = statement<[businessId: string, before: string, limit: number], ListedRow>(
  page('and id < $2', '$3'),
);

export const newestOf = statement<[businessId: string, email: string, limit: number], ListedRow>(
  page(OF_RECIPIENT, '$3'),
);

export const newestOfBefore = statement<
  [businessId: string, email: string, before: string, limit: number],
  ListedRow
>(page(`${OF_RECIPIENT} and id < $3`, '$4'));

/** Messages by their keys; `place` says which of those asked for a row answers. */
export const messagesByKey = statement<
  [businessIds: string[], ids: string[]],
  ViewedRow & { place: number }
>(`
  select asked.place::int as place, ${COLUMNS}, m.body
  from unnest($1::text[], $2::text[]) with ordinality asked (business_id, id, place)
  cross join lateral (select * from messages where business_id = asked.business_id and id = asked.id offset 0) m
  ${WITH_SENDS}`);
