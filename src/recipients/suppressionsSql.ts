import { statement } from '../db/statement.ts';

/** The first of each reason counts. The address itself is only for people's eyes; an erasure takes it away. */
export const insertSuppressions = statement<[suppressions: string]>(`
  insert into suppressions (business_id, email_hash, reason, email, at)
  select business_id, email_hash, reason, email, at from json_populate_recordset(null::suppressions, $1::json)
  on conflict do nothing`);

export const insertPlatformSuppressions = statement<[emailHashes: Buffer[], now: Date]>(`
  insert into platform_suppressions (email_hash, at) select distinct h, $2::timestamptz from unnest($1::bytea[]) h
  on conflict do nothing`);

/** Numbers that WhatsApp does not know, for a while. */
export const insertUnreachable = statement<[unreachable: string]>(`
  insert into whatsapp_unreachable as u (business_id, number_hash, until)
  select distinct on (business_id, number_hash) business_id, number_hash, until
  from json_populate_recordset(null::whatsapp_unreachable, $1::json)
  on conflict (business_id, number_hash) do update set until = greatest(u.until, excluded.until)`);

export const deleteUnreachable = statement<[businessIds: string[], numberHash: Buffer]>(`
  delete from whatsapp_unreachable where business_id = any ($1::text[]) and number_hash = $2`);
