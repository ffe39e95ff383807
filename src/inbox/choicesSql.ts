import { statement } from '../db/statement.ts';
import type { ConsentStatus, StopMaker } from '../recipients/recipient.ts';

export interface PersonRow {
  email: string;
  phone: string | null;
  sms_status: ConsentStatus;
  sms_stopped_by: StopMaker | null;
  whatsapp_status: ConsentStatus;
  unsubscribed_at: Date | null;
}

const PERSON =
  'select email, phone, sms_status, sms_stopped_by, whatsapp_status, unsubscribed_at from recipients';

export const readPerson = statement<[businessId: string, recipientId: string], PersonRow>(`
  ${PERSON} where business_id = $1 and id = $2`);

/** First of the locks: a send that is being permitted is waited for, and the next one sees what was decided here. */
export const lockPerson = statement<[businessId: string, recipientId: string], PersonRow>(`
  ${PERSON} where business_id = $1 and id = $2 for no key update`);

export const setUnsubscribed = statement<[businessId: string, recipientId: string, now: Date]>(`
  update recipients set unsubscribed_at = $3 where business_id = $1 and id = $2`);

/** Made here it is the firmer kind: a text of START does not lift it, even where it lay over one that START would. */
export const insertInboxStop = statement<
  [businessId: string, channel: 'sms' | 'whatsapp', numberHash: Buffer, now: Date]
>(`
  insert into stops (business_id, channel, number_hash, made_by, at) values ($1, $2, $3, 'inbox', $4)
  on conflict (business_id, channel, number_hash) do update set made_by = 'inbox', at = excluded.at
  where stops.made_by = 'text'`);

export const deleteInboxStop = statement<[businessId: string, numberHash: Buffer]>(`
  delete from stops where business_id = $1 and channel = 'sms' and number_hash = $2 and made_by = 'inbox'`);
