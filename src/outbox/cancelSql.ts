import { statement } from '../db/statement.ts';
import type { Channel } from '../nudges/channels.ts';
import type { OfPerson } from './send.ts';

/** Not locked yet: messages are locked before sends. */
export const waitingOfMessages = statement<[businessId: string, messageIds: readonly string[]], OfPerson>(`
  select s.business_id, s.id, s.recipient_id, s.message_id from sends s
  where s.business_id = $1 and s.message_id = any ($2::text[]) and s.state in ('held', 'queued')`);

export const waitingOfRecipient = statement<
  [businessId: string, recipientId: string, channels: readonly Channel[]],
  OfPerson
>(`
  select s.business_id, s.id, s.recipient_id, s.message_id
  from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
  where m.business_id = $1 and m.recipient_id = $2 and s.channel = any ($3::text[]) and s.state in ('held', 'queued')
  union all
  select s.business_id, s.id, s.recipient_id, s.message_id from sends s
  where s.business_id = $1 and s.recipient_id = $2 and s.message_id is null and s.channel = any ($3::text[])
    and s.purpose = 'reply_ack' and s.state = 'queued'`);
