import { statement } from '../db/statement.ts';
import { callersOf } from './loadSql.ts';
import type { SnapshotCaller, StoredResponse } from './snapshotRows.ts';

/**
 * Takes the advisory locks of a list without waiting: a key that is being worked on is answered "in progress", a recipient
 * that is busy is deferred so that the rest need not wait. A statement of its own, so that the next one sees everything
 * committed before the locks were taken.
 */
export const tryGroupLocks = statement<
  [keyLocks: bigint[], batchLocks: bigint[], recipientLocks: bigint[]],
  { keys: boolean[]; batches: boolean[]; recipients: boolean[] }
>(`
  select
    array(select pg_try_advisory_xact_lock(k) from unnest($1::bigint[]) with ordinality u (k, n) order by n) as keys,
    array(select pg_try_advisory_xact_lock_shared(k) from unnest($2::bigint[]) with ordinality u (k, n) order by n) as batches,
    array(select pg_try_advisory_xact_lock(k) from unnest($3::bigint[]) with ordinality u (k, n) order by n) as recipients`);

/**
 * For work that may wait its turn. Keys are still only tried, and first: one that is being worked on is answered at
 * once, whoever holds the recipients. Those come sorted, so two lists cannot wait for each other.
 */
export const waitForGroupLocks = statement<
  [keyLocks: bigint[], batchLocks: bigint[], recipientLocks: bigint[]],
  { keys: boolean[] }
>(`
  with key as materialized (
    select pg_try_advisory_xact_lock(k) as free, n from unnest($1::bigint[]) with ordinality u (k, n)
    union all
    select pg_try_advisory_xact_lock_shared(k), cardinality($1) + n from unnest($2::bigint[]) with ordinality u (k, n)
  ), waited as materialized (
    select pg_advisory_xact_lock(k) from unnest($3::bigint[]) with ordinality u (k, n)
    where (select bool_and(free) from key) order by n
  )
  select array(select free from key order by n) as keys, (select count(*) from waited) as waited`);

/**
 * Leaves with the locks and runs after them: which callers' keys still count, the number each address holds, whose keyed hash
 * loading needs, and the answers given before, after which there may be nothing left to load.
 */
export const preloadGroup = statement<
  [
    businessIds: string[],
    emails: string[],
    keys: string[],
    now: Date,
    callersBusinessIds: string[],
    callersKeyIds: string[],
  ],
  { callers: SnapshotCaller[] | null; phones: (string | null)[]; records: StoredResponse[] | null }
>(`
  select
    ${callersOf('$5', '$6')} as callers,
    array(select r.phone from unnest($1::text[], $2::text[]) with ordinality u (business_id, email, n)
      left join lateral (select phone from recipients where business_id = u.business_id and email = u.email offset 0) r on true
      order by n) as phones,
    (select json_agg(i) from (
      select i.business_id, i.scope, i.key, encode(i.fingerprint, 'hex') as fingerprint, i.status, i.response, i.recipient_id
      from unnest($1::text[], $3::text[]) u (business_id, key) cross join lateral (
        select * from idempotency_records
        where business_id = u.business_id and scope = 'push' and key = u.key and expires_at > $4 offset 0) i) i) as records`);
