import { statementOfBusinesses } from '../../../db/perBusiness.ts';
import { statement } from '../../../db/statement.ts';
import { PAGE_SIZE } from '../../kit/listPage.ts';

const HISTORY = 5;

/** What a message shows in a list changes with one of these. */
const versionOf = (message: string): string =>
  `concat_ws(' ', ${message}.status, ${message}.updated_at, ${message}.fetched_at, ${message}.opened_at, ${message}.unread_again)`;

/** As in the index orders_by_change. */
const CHANGED = `(business_id || ' ' || change_id)`;

/** An endpoint's row changes with what arrives, and what is due next with what fails. A test changes neither. */
const endpointVersion = (endpoint: string): string => `
  concat_ws(' ', ${endpoint}.id, ${endpoint}.url, ${endpoint}.event_types, ${endpoint}.consecutive_failures, ${endpoint}.disabled_at,
    ${endpoint}.last_success_at, ${endpoint}.last_error,
    (select concat_ws(' ', d.event_id, d.due_at, d.attempts) from webhook_deliveries d
     where d.business_id = ${endpoint}.business_id and d.endpoint_id = ${endpoint}.id and d.due_at is not null
     order by d.due_at limit 1),
    (select n.at from webhook_attempts n
     where n.business_id = ${endpoint}.business_id and n.endpoint_id = ${endpoint}.id
     order by n.event_id desc, n.attempt desc limit 1))`;

/*
 * The counters change with everything that is counted; what is not (an update in place, a retraction, an erasure) shows in the
 * newest messages and in the newest lines of their history, and a tracking event or a shipment in the newest change of an order. The
 * others are what the overview warns of.
 */
const shopMark = (businessId: string, day: string): string => `
  md5(concat_ws(' ',
    (select string_agg(c::text, ',' order by c.day, c.slot) from usage_counters c
     where c.business_id = ${businessId} and c.day >= ${day}),
    (select string_agg(m.id || m.version, ',' order by m.id desc) from (
      select n.id, ${versionOf('n')} as version from messages n
      where n.business_id = ${businessId} order by n.id desc limit ${PAGE_SIZE}) m),
    (select string_agg(h.id, ',' order by h.id desc) from (
      select id from message_events where business_id = ${businessId} order by id desc limit ${HISTORY}) h),
    (select change_id from orders
     where ${CHANGED} > ${businessId} || ' ' and ${CHANGED} < ${businessId} || ' ~' order by ${CHANGED} desc limit 1),
    (select b::text from businesses b where b.id = ${businessId}),
    (select concat_ws(' ', a.balance, a.reserved) from credit_accounts a where a.business_id = ${businessId}),
    (select concat_ws(' ', v.domain, v.state, v.failing_since) from sender_domains v where v.business_id = ${businessId}),
    (select string_agg(${endpointVersion('w')}, ',' order by w.id)
     from webhook_endpoints w where w.business_id = ${businessId})))`;

const messageMark = (businessId: string, messageId: string): string => `
  md5(concat_ws(' ',
    (select ${versionOf('n')} from messages n
     where n.business_id = ${businessId} and n.id = ${messageId}),
    (select string_agg(s::text, ',' order by s.id) from sends s
     where s.business_id = ${businessId} and s.message_id = ${messageId}),
    (select count(*) from message_events h where h.business_id = ${businessId} and h.message_id = ${messageId})))`;

/** What a connection shows changes with its row, and with its newest calls: the row learns of a call only after a while. */
const connectionMark = (businessId: string, connectionId: string): string => `
  md5(concat_ws(' ',
    (select concat_ws(' ', c.name, c.status, c.settings, c.store_url, c.statuses_seen, c.last_received_at, c.last_error)
     from connections c where c.id = ${connectionId} and c.business_id = ${businessId}),
    (select string_agg(k.id || k.version, ',' order by k.id desc) from (
      select n.id, concat_ws(' ', n.outcome, n.reason, n.message_id) as version from connection_calls n
      where n.business_id = ${businessId} and n.connection_id = ${connectionId} order by n.id desc limit ${PAGE_SIZE}) k)))`;

const endpointMark = (businessId: string, endpointId: string): string => `
  coalesce((select md5(${endpointVersion('w')}) from webhook_endpoints w
    where w.business_id = ${businessId} and w.id = ${endpointId}), '')`;

interface MarkedPage {
  businessId: string;
  messageId: string;
  connectionId: string;
  endpointId: string;
}

const markOfPage = ({ businessId, messageId, connectionId, endpointId }: MarkedPage, day: string): string => `
  case when ${endpointId} <> '' then ${endpointMark(businessId, endpointId)}
    when ${connectionId} <> '' then ${connectionMark(businessId, connectionId)}
    when ${messageId} = '' then ${shopMark(businessId, day)} else ${messageMark(businessId, messageId)} end`;

const ONE_PAGE = {
  businessId: '$1::text',
  messageId: '$2::text',
  connectionId: '$4::text',
  endpointId: '$5::text',
};
const EACH_PAGE = {
  businessId: 'p.business_id',
  messageId: 'p.message_id',
  connectionId: 'p.connection_id',
  endpointId: 'p.endpoint_id',
};

/** The mark of one page: of a message, of a connection, of an endpoint, or with none of them of the whole shop. `day`: counters from then on are looked at. */
export const pageMarkOf = statementOfBusinesses<
  [businessId: string, messageId: string, day: string, connectionId: string, endpointId: string],
  { mark: string }
>(['business', 'same', 'same', 'same', 'same'], `select ${markOfPage(ONE_PAGE, '$3::date')} as mark`);

/** Of a session `s` of a member `m`. */
const IS_OPERATOR = '(m.operator_since is not null and (s.by_oidc or not m.operator_by_claim))';

/** Those of these sessions that may still see the operator's pages. */
export const operatorSessions = statement<[sessionIds: readonly string[], now: Date], { id: string }>(`
  select s.id from dashboard_sessions s join members m on m.id = s.member_id
  where s.id = any ($1) and s.expires_at > $2 and ${IS_OPERATOR}`);

/**
 * One statement for all open pages, however many show the same. A page whose session has ended, or whose member no longer
 * belongs to the shop, has no row.
 */
export const pageMarksOf = statementOfBusinesses<
  [
    businessIds: string[],
    messageIds: string[],
    sessionIds: string[],
    now: Date,
    day: string,
    connectionIds: string[],
    endpointIds: string[],
  ],
  { place: number; mark: string }
>(
  ['businesses', 'parallel', 'parallel', 'same', 'same', 'parallel', 'parallel'],
  `
  with watched as materialized (
    select k.place, k.business_id, k.message_id, k.connection_id, k.endpoint_id
    from unnest($1::text[], $2::text[], $3::text[], $6::text[], $7::text[]) with ordinality
      k (business_id, message_id, session_id, connection_id, endpoint_id, place)
    join dashboard_sessions s on s.id = k.session_id and s.expires_at > $4
    join members m on m.id = s.member_id
    where ${IS_OPERATOR} or exists (
      select from memberships where business_id = k.business_id and member_id = m.id)
  ), marked as materialized (
    select p.business_id, p.message_id, p.connection_id, p.endpoint_id, ${markOfPage(EACH_PAGE, '$5::date')} as mark
    from (select distinct business_id, message_id, connection_id, endpoint_id from watched) p
  )
  select watched.place::int as place, marked.mark
  from watched join marked using (business_id, message_id, connection_id, endpoint_id)`,
  { place: 'place' },
);
