import { statement } from '../db/statement.ts';

/**
 * Does not wait: a second request with the key is refused at once. The lock ends with the transaction. Until then custom plans
 * are forced: this work is rare, and a generic plan cached while the tables were empty would scan them.
 */
export const tryKey = statement<[lock: bigint], { free: boolean }>(`
  select pg_try_advisory_xact_lock($1) as free, set_config('plan_cache_mode', 'force_custom_plan', true)`);

/** A separate statement after the lock, so that it sees the commit of the lock's previous holder. */
export const findAnswer = statement<
  [businessId: string, scope: string, key: string, now: Date],
  { fingerprint: string; status: number; response: string }
>(`
  select encode(fingerprint, 'hex') as fingerprint, status, response from idempotency_records
  where business_id = $1 and scope = $2 and key = $3 and expires_at > $4`);

/** A record that already exists has expired or is unfinished: an answer would have been returned by `findAnswer`. */
export const rememberAnswer = statement<
  [
    businessId: string,
    scope: string,
    key: string,
    fingerprint: Buffer,
    status: number,
    response: string,
    recipientId: string | null,
    now: Date,
    expiresAt: Date,
  ]
>(`
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (business_id, scope, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
    response = excluded.response, recipient_id = excluded.recipient_id, created_at = excluded.created_at,
    expires_at = excluded.expires_at`);
