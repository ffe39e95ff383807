import { statement } from '../db/statement.ts';
import type { PaidChannel } from '../nudges/channels.ts';
import type { HolderRow } from '../recipients/stopsSql.ts';
import type { SendKey } from './send.ts';

export interface HolderOfSend extends HolderRow {
  send: SendKey;
  channel: PaidChannel;
}

/** Whom these paid sends are for, with the number they have now. Their rows are locked already. */
export const findHoldersOfSends = statement<[businessIds: string[], ids: string[]], HolderOfSend>(`
  select json_build_object('business_id', s.business_id, 'id', s.id) as send, s.channel,
    r.business_id, r.id as recipient_id, r.email, r.phone, r.sms_status, r.sms_stopped_by, r.whatsapp_status
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join sends s on s.business_id = k.business_id and s.id = k.id
  join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
  where s.channel <> 'email' and r.phone is not null
  order by s.id`);
