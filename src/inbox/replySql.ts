import { statement } from '../db/statement.ts';

export interface ReplyRow {
  body: string;
  received_at: Date;
  email: string;
  reference: string | null;
  name: string;
  colour: string | null;
}

/** One reply with what its reader needs to make sense of it. Gone with the person, or when it is too old to be kept. */
export const readReply = statement<[businessId: string, replyId: string], ReplyRow>(`
  select w.body, w.received_at, r.email, m.reference, b.name, b.colour
  from whatsapp_replies w
  join recipients r on r.business_id = w.business_id and r.id = w.recipient_id
  join businesses b on b.id = w.business_id
  left join messages m on m.business_id = w.business_id and m.id = w.message_id
  where w.business_id = $1 and w.id = $2`);
