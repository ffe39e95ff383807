import { statement } from '../db/statement.ts';

/** How far back a change is noticed while someone looks: two pages, so that the cost does not grow with the inbox. */
const NOTICED = 40;

/**
 * Differs whenever one of the person's newer messages is new or would look different: an update in place moves the
 * newest `updated_at`, and a message that is opened, replaced or taken back is counted. Counting is far cheaper than
 * putting every message into the print.
 */
const PRINT = (businessId: string, recipientId: string) => `
  (select md5(concat_ws(' ', max(m.id), extract(epoch from max(m.updated_at)), count(m.opened_at),
      count(*) filter (where m.status = 'obsolete'), count(*) filter (where m.status = 'retracted')))
   from (select id, status, updated_at, opened_at from messages
         where business_id = ${businessId} and recipient_id = ${recipientId}
         order by id desc limit ${NOTICED}) m)`;

export const printOf = statement<[businessId: string, recipientId: string], { print: string }>(`
  select ${PRINT('$1', '$2')} as print`);

/** One question for everyone who is looking, whose answer also says who no longer may: signed out, expired or erased. */
export const printsOf = statement<
  [businessIds: string[], sessionIds: string[], now: Date],
  { business_id: string; session_id: string; print: string }
>(`
  select s.business_id, s.id as session_id, ${PRINT('s.business_id', 's.recipient_id')} as print
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join inbox_sessions s on s.business_id = k.business_id and s.id = k.id
  where s.expires_at > $3`);
