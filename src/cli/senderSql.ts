import { statement } from '../db/statement.ts';
import type { Channel } from '../nudges/channels.ts';

export interface SenderRow {
  channel: Channel;
  address: string;
}

export const setSender = statement<[businessId: string, channel: Channel, address: string]>(`
  insert into business_senders (business_id, channel, address) values ($1, $2, $3)
  on conflict (business_id, channel) do update set address = excluded.address`);

export const removeSender = statement<[businessId: string, channel: Channel], SenderRow>(`
  delete from business_senders where business_id = $1 and channel = $2 returning channel, address`);

export const listSenders = statement<[businessId: string], SenderRow>(`
  select channel, address from business_senders where business_id = $1 order by channel`);
