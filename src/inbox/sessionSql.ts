import { statement } from '../db/statement.ts';

/** Keeps only so many of the person's other sessions, the newest. The caller holds the person's row, so the count is exact. */
export const insertSession = statement<
  [
    businessId: string,
    id: string,
    tokenHash: Buffer,
    recipientId: string,
    now: Date,
    expiresAt: Date,
    othersKept: number,
  ]
>(`
  with ended as (
    delete from inbox_sessions s using (
      select id from inbox_sessions where business_id = $1 and recipient_id = $4
      order by created_at desc, id desc offset $7::int) old
    where s.business_id = $1 and s.id = old.id
  )
  insert into inbox_sessions (business_id, id, token_hash, recipient_id, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6)`);

export interface SessionRow {
  business_id: string;
  id: string;
  recipient_id: string;
  expires_at: Date;
  business_name: string;
  colour: string | null;
  unsubscribed_at: Date | null;
}

export const findSession = statement<[tokenHash: Buffer], SessionRow>(`
  select s.business_id, s.id, s.recipient_id, s.expires_at, b.name as business_name, b.colour, r.unsubscribed_at
  from inbox_sessions s
  join businesses b on b.id = s.business_id
  join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
  where s.token_hash = $1
  limit 1`);

export const deleteSession = statement<[businessId: string, id: string]>(`
  delete from inbox_sessions where business_id = $1 and id = $2`);
