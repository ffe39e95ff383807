import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { ConnectionKind } from './kinds/kind.ts';
import type { SealedSecrets } from './secrets.ts';
import type { ConnectionStatus } from './settings.ts';

export interface ReceivingRow extends SealedSecrets {
  business_id: string;
  kind: ConnectionKind;
  status: ConnectionStatus;
  store_url: string | null;
  last_received_at: Date | null;
  last_error: string | null;
}

/** What receiving needs of these connections. */
export const readReceiving = statement<[ids: readonly string[]], ReceivingRow>(`
  select id, business_id, kind, status, store_url, secret_sealed, previous_secret_sealed, previous_secret_until,
    last_received_at, last_error
  from connections where id = any($1)`);

type CallLists = [
  businessIds: readonly string[],
  connectionIds: readonly string[],
  ids: readonly string[],
  keys: readonly string[],
  topics: readonly string[],
  storeOrders: readonly (string | null)[],
  headers: readonly string[],
  bodies: readonly Buffer[],
  areWatched: readonly boolean[],
  arePings: readonly boolean[],
  now: Date,
];

const PARALLEL = ['parallel', 'parallel', 'parallel', 'parallel', 'parallel', 'parallel'] as const;
const LISTS = ['businesses', ...PARALLEL, 'parallel', 'parallel', 'parallel', 'same'] as const;

const CALLS = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::boolean[], $10::boolean[])
      k (business_id, connection_id, id, call_key, topic, store_order, headers, body, is_watched, is_ping)`;

/** In the order of the keys, so that two processes that store the same calls cannot deadlock. */
const insertFrom = (calls: string): string => `
  insert into connection_calls (business_id, connection_id, id, call_key, topic, store_order, headers, body, is_watched,
    received_at, due_at, outcome, reason)
  select k.business_id, k.connection_id, k.id, k.call_key, k.topic, k.store_order, k.headers::jsonb, k.body, k.is_watched,
    $11::timestamptz, case when k.is_ping then null else $11::timestamptz end,
    case when k.is_ping then 'nothing_to_tell' end, case when k.is_ping then 'ping' end
  from ${calls} order by k.business_id, k.connection_id, k.call_key
  on conflict do nothing
  returning id`;

/** A removal waits for this lock, and then deletes what was stored. What comes after a removal is not stored. */
const EXISTING = `existing as materialized (
    select id from connections where id = any ($2::text[]) order by id for key share)`;
const INSERT_OF_EXISTING = insertFrom(`existing c join ${CALLS} on k.connection_id = c.id`);

/** On a cluster, without that lock: a statement about one shard cannot have it. What a removal misses goes by its age. */
const INSERT = insertFrom(CALLS);

/** Answers the ids of the calls that are new. */
export const storeCalls = statementOfBusinesses<CallLists, { id: string }>(
  LISTS,
  `with ${EXISTING} ${INSERT_OF_EXISTING}`,
  { steps: [INSERT] },
);

/** `last_received_at` is at most this much behind, so that a store that sends much does not write its connection for each call. */
export const HEARD_EVERY_SECONDS = 10;

const NOT_HEARD_LATELY = `id = any ($12::text[])
      and (last_received_at is null or last_received_at <= $11::timestamptz - interval '${HEARD_EVERY_SECONDS} seconds')`;
const NOTE_HEARD = 'update connections set last_received_at = $11::timestamptz where';

/** The same, and notes that these connections were heard of. SKIP LOCKED: another process is writing the same. */
export const storeCallsAndHear = statementOfBusinesses<
  [...CallLists, heardIds: readonly string[]],
  { id: string }
>(
  [...LISTS, 'same'],
  `with ${EXISTING}, heard as (
    ${NOTE_HEARD} id in (select id from connections where ${NOT_HEARD_LATELY} for no key update skip locked)
  ) ${INSERT_OF_EXISTING}`,
  { steps: [`${NOTE_HEARD} ${NOT_HEARD_LATELY}`, INSERT] },
);

/** Of our own calls to the store; null: the last one went well. */
export const noteError = statement<[id: string, error: string | null]>(`
  update connections set last_error = $2 where id = $1 and last_error is distinct from $2`);
