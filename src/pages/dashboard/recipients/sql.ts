import { statement } from '../../../db/statement.ts';
import type { ConsentStatus } from '../../../recipients/recipient.ts';

export interface ListedRecipient {
  id: string;
  email: string;
  phone: string | null;
  sms_status: ConsentStatus;
  whatsapp_status: ConsentStatus;
  unsubscribed: boolean;
  created_at: Date;
}

/** The newest customers before an id: ids begin with their time, so the primary key has them in order. */
export const listRecipients = statement<
  [businessId: string, before: string, limit: number],
  ListedRecipient
>(`
  select id, email, phone, sms_status, whatsapp_status, unsubscribed_at is not null as unsubscribed, created_at
  from recipients where business_id = $1 and id < $2 order by id desc limit $3`);

export const findRecipientByPhone = statement<[businessId: string, phone: string], { id: string }>(`
  select id from recipients where business_id = $1 and phone = $2`);
