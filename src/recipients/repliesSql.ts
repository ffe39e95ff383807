import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';

/** As in the index whatsapp_replies_listed, which no other expression can use. */
const PLACE = `(business_id || case when read_at is null then ' unread ' else ' read ' end || id)`;

/** How many unread replies the bar counts; more are "99+". */
export const UNREAD_COUNTED_MAX = 100;

/** An expression for the number of unread replies of a business, counted up to a limit by their index. */
export const unreadCount = (businessId: string): string => `
    (select count(*)::int from (
      select from whatsapp_replies
      where ${PLACE} >= ${businessId} || ' unread ' and ${PLACE} < ${businessId} || ' unread ~'
      limit ${UNREAD_COUNTED_MAX}) unread)`;

export interface ListedReply {
  id: string;
  body: string;
  received_at: Date;
  read_at: Date | null;
  recipient_id: string;
  email: string;
  message_id: string | null;
  /** Of the message that it answers; null once that is gone. */
  subject: string | null;
  reference: string | null;
  /** Why it was not acknowledged; null: it was, or no acknowledgement was due. */
  not_acknowledged: string | null;
}

/** Only the rows of the page are joined. A message goes with its person, but retention may end it earlier than the reply. */
const withContext = (replies: string): string => `
  select w.id, w.body, w.received_at, w.read_at, w.recipient_id, r.email, m.id as message_id, m.subject, m.reference,
    (select s.reason from sends s where s.business_id = $1 and s.recipient_id = w.recipient_id and s.message_id is null
      and s.about = w.id and s.purpose = 'reply_ack' and s.state = 'skipped') as not_acknowledged
  from (${replies}) w
  cross join lateral (
    select email from recipients where business_id = $1 and id = w.recipient_id offset 0) r
  left join lateral (
    select id, subject, reference from messages where business_id = $1 and id = w.message_id offset 0) m on true`;

/** Unread ones first, each newest first: the index read backwards from `end`, which is ` unread <id>` or ` read <id>`. */
export const listReplies = statementOfBusinesses<
  [businessId: string, end: string, limit: number],
  ListedReply
>(
  ['business', 'same', 'same'],
  `
  ${withContext(`
    select *, ${PLACE} as place from whatsapp_replies
    where ${PLACE} >= $1::text || ' ' and ${PLACE} < $1::text || $2::text
    order by ${PLACE} desc limit $3`)}
  order by w.place desc`,
);

export const findReply = statement<[businessId: string, id: string], ListedReply>(
  withContext('select * from whatsapp_replies where business_id = $1 and id = $2'),
);

/** No row: it is gone, or was read before. */
export const markReplyRead = statement<
  [businessId: string, id: string, now: Date],
  { recipient_id: string; message_id: string | null }
>(`
  update whatsapp_replies set read_at = $3 where business_id = $1 and id = $2 and read_at is null
  returning recipient_id, message_id`);

export const markRepliesRead = statementOfBusinesses<
  [businessId: string, upTo: string, now: Date, limit: number],
  { id: string }
>(
  ['business', 'same', 'same', 'same'],
  `
  update whatsapp_replies w set read_at = $3
  from (
    select business_id, id from whatsapp_replies
    where ${PLACE} >= $1::text || ' unread ' and ${PLACE} <= $1::text || ' unread ' || $2::text
    order by ${PLACE} limit $4 for update skip locked) unread
  where w.business_id = $1 and w.id = unread.id and w.read_at is null
  returning w.id`,
);
