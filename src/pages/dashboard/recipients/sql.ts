import { statementOfBusinesses } from '../../../db/perBusiness.ts';
import { statement } from '../../../db/statement.ts';
import { LAST_CHARACTER } from '../../../kit/ids.ts';
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

const LISTED =
  'id, email, phone, sms_status, whatsapp_status, unsubscribed_at is not null as unsubscribed, created_at';

/** The newest customers before an id: ids begin with their time, so the primary key has them in order. */
export const listRecipients = statement<
  [businessId: string, before: string, limit: number],
  ListedRecipient
>(`
  select ${LISTED} from recipients where business_id = $1 and id < $2 order by id desc limit $3`);

/** As in the index recipients_by_address. */
const ADDRESS = `(business_id || ' ' || email)`;

/** Customers whose address begins so, in its order, after the address `after`. */
export const customersBeginning = statementOfBusinesses<
  [businessId: string, beginning: string, after: string, limit: number],
  ListedRecipient
>(
  ['business', 'same', 'same', 'same'],
  `
  select ${LISTED} from recipients
  where ${ADDRESS} >= $1::text || ' ' || $2::text and ${ADDRESS} > $1::text || ' ' || $3::text
    and ${ADDRESS} < $1::text || ' ' || $2::text || '${LAST_CHARACTER}'
  order by ${ADDRESS} limit $4`,
);

export const listedRecipient = statement<[businessId: string, id: string], ListedRecipient>(`
  select ${LISTED} from recipients where business_id = $1 and id = $2`);

export const findRecipientByPhone = statement<[businessId: string, phone: string], { id: string }>(`
  select id from recipients where business_id = $1 and phone = $2`);
