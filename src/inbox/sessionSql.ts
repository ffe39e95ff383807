import { statement } from '../db/statement.ts';

/** The recipient's row is locked first, by the foreign key: an erasure that came before leaves nothing to sign in to. */
export const insertSession = statement<
  [businessId: string, id: string, tokenHash: Buffer, recipientId: string, now: Date, expiresAt: Date]
>(`
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
