import { statement } from '../../src/db/statement.ts';

/** Through the recipient, which has an index and few rows. */
export const isCaptured = statement<[messageId: string], { id: string }>(`
  select c.id from messages m
  join sandbox_messages c on c.business_id = m.business_id and c.recipient_id = m.recipient_id and c.message_id = m.id
  where m.business_id = (select id from businesses limit 1) and m.id = $1`);
