import { type DueQueue, dueQueues } from '../db/dueQueues.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { ConnectionKind } from './kinds/kind.ts';
import type { KnownOrder } from './knownOrder.ts';
import type { CallOutcome, WouldPush } from './results.ts';
import type { ConnectionStatus } from './settings.ts';

/** Due calls: the queue of each connection, by its id. */
export const dueCalls = dueQueues<DueQueue>({
  table: 'connection_calls',
  queueOf: (call) => `${call}.connection_id`,
  isOnTime: 'true',
});

export interface ClaimedCall {
  business_id: string;
  connection_id: string;
  id: string;
  topic: string;
  store_order: string | null;
  headers: Record<string, string>;
  body: Buffer;
  received_at: Date;
  is_watched: boolean;
  attempts: number;
}

const CLAIMED = `c.business_id, c.connection_id, c.id, c.topic, c.store_order, c.headers, c.body, c.received_at, c.is_watched, c.attempts`;

/**
 * Claims due calls of these connections, the oldest first, under a lease that expires by itself; a call waits for the earlier ones of its
 * order, and for one that was begun, which may have pushed already: a call can be stored after a later one was claimed. Sorted as the
 * index is: with the id, too, each claim would read all of a backlog. SKIP LOCKED: workers never wait for each other. A locked row cannot
 * move, so the update finds it by ctid.
 */
export const takeDueCalls = statementOfBusinesses<
  [
    businessIds: string[],
    connectionIds: string[],
    counts: number[],
    now: Date,
    nowStamp: string,
    lease: string,
  ],
  ClaimedCall
>(
  ['businesses', 'parallel', 'parallel', 'same', 'same', 'same'],
  `
  with picked as materialized (
    select d.locked
    from unnest($1::text[], $2::text[], $3::int[]) k (business_id, connection_id, count)
    cross join lateral (
      select c.ctid as locked from connection_calls c
      where c.business_id = k.business_id and c.connection_id = k.connection_id
        and c.due_at <= $4 and (c.lease is null or c.lease <= $5)
        and (c.store_order is null or c.lease is not null or not exists (
          select from connection_calls e
          where e.business_id = c.business_id and e.connection_id = c.connection_id and e.due_at is not null
            and e.store_order = c.store_order and (e.id < c.id or e.lease is not null)))
      order by c.due_at limit k.count for update skip locked) d
  )
  update connection_calls c set lease = $6, attempts = c.attempts + 1
  from picked p
  where c.ctid = p.locked
  returning ${CLAIMED}`,
);

/**
 * Claims the call that follows in each of these orders, if it is due: with a probe per order, while the claim above steps over all calls
 * that wait for an earlier one of theirs.
 */
export const takeNextOfOrders = statementOfBusinesses<
  [
    businessIds: string[],
    connectionIds: string[],
    storeOrders: string[],
    now: Date,
    nowStamp: string,
    lease: string,
  ],
  ClaimedCall
>(
  ['businesses', 'parallel', 'parallel', 'same', 'same', 'same'],
  `
  with picked as materialized (
    select d.locked
    from unnest($1::text[], $2::text[], $3::text[]) k (business_id, connection_id, store_order)
    cross join lateral (
      select f.business_id, f.connection_id, f.id from connection_calls f
      where f.business_id = k.business_id and f.connection_id = k.connection_id and f.store_order = k.store_order
        and f.due_at is not null
      order by f.lease is null, f.id limit 1) f
    cross join lateral (
      select c.ctid as locked from connection_calls c
      where c.business_id = f.business_id and c.connection_id = f.connection_id and c.id = f.id
        and c.due_at <= $4 and (c.lease is null or c.lease <= $5)
      limit 1 for update skip locked) d
  )
  update connection_calls c set lease = $6, attempts = c.attempts + 1
  from picked p
  where c.ctid = p.locked
  returning ${CLAIMED}`,
);

/** Claims one call, done or not, unless another worker holds it. */
export const takeCall = statement<
  [businessId: string, connectionId: string, callId: string, nowStamp: string, lease: string, now: Date],
  ClaimedCall
>(`
  update connection_calls c set lease = $5, due_at = coalesce(due_at, $6)
  where c.business_id = $1 and c.connection_id = $2 and c.id = $3 and (c.lease is null or c.lease <= $4)
  returning ${CLAIMED}`);

/** On a cluster a removal can miss a call that comes at the same moment. */
export const deleteOrphans = statementOfBusinesses<
  [businessIds: string[], connectionIds: string[], ids: string[]]
>(
  ['businesses', 'parallel', 'parallel'],
  `
  delete from connection_calls c using unnest($1::text[], $2::text[], $3::text[]) k (business_id, connection_id, id)
  where c.business_id = k.business_id and c.connection_id = k.connection_id and c.id = k.id`,
);

export interface ConnectionInUseRow {
  id: string;
  kind: ConnectionKind;
  status: ConnectionStatus;
  settings: unknown;
}

export const readConnectionsInUse = statement<[ids: string[]], ConnectionInUseRow>(`
  select id, kind, status, settings from connections where id = any ($1)`);

export interface KnownRow {
  business_id: string;
  connection_id: string;
  store_order: string;
  known: KnownOrder;
  revision: string;
}

export const readKnownOrders = statementOfBusinesses<
  [businessIds: string[], connectionIds: string[], storeOrders: string[]],
  KnownRow
>(
  ['businesses', 'parallel', 'parallel'],
  `
  select o.business_id, o.connection_id, o.store_order, o.known, o.revision
  from unnest($1::text[], $2::text[], $3::text[]) k (business_id, connection_id, store_order)
  cross join lateral (
    select * from connection_orders
    where business_id = k.business_id and connection_id = k.connection_id and store_order = k.store_order limit 1) o`,
);

export interface KnownOrderRow {
  business_id: string;
  connection_id: string;
  store_order: string;
  order_number: string | null;
  email: string | null;
  known: KnownOrder;
  revision: string;
  /** The one that was read; empty: there was none. */
  read_revision: string;
}

/** Answers those that nobody else has written meanwhile. */
export const writeKnownOrders = statementOfBusinesses<
  [orders: string, now: Date],
  { connection_id: string; store_order: string }
>(
  ['rows', 'same'],
  `
  insert into connection_orders as o (business_id, connection_id, store_order, order_number, email, known, revision, updated_at)
  select w.business_id, w.connection_id, w.store_order, w.order_number, w.email, w.known, w.revision, $2
  from jsonb_to_recordset($1::jsonb) as w (business_id text, connection_id text, store_order text, order_number text, email text,
    known jsonb, revision text, read_revision text)
  order by w.business_id, w.connection_id, w.store_order
  on conflict (business_id, connection_id, store_order) do update set order_number = excluded.order_number,
    email = excluded.email, known = excluded.known, revision = excluded.revision, updated_at = excluded.updated_at
    where o.revision = (
      select r.read_revision from jsonb_to_recordset($1::jsonb) as r (business_id text, connection_id text, store_order text,
        read_revision text)
      where r.business_id = excluded.business_id and r.connection_id = excluded.connection_id
        and r.store_order = excluded.store_order)
  returning o.connection_id, o.store_order`,
);

export interface FinishedRow {
  business_id: string;
  connection_id: string;
  id: string;
  /** Handle it again then; null: it is done. */
  due_at: string | null;
  outcome: CallOutcome | null;
  reason: string | null;
  message_id: string | null;
  would_push: WouldPush[] | null;
  order_number: string | null;
  email: string | null;
}

/** Answers those that are held under this lease; null: that are held no more. An erasure or a removal may have taken a call. */
export const finishCalls = statementOfBusinesses<[calls: string, lease: string | null], { id: string }>(
  ['rows', 'same'],
  `
  with held as materialized (
    select f.*, c.locked
    from jsonb_to_recordset($1::jsonb) as f (business_id text, connection_id text, id text, due_at timestamptz, outcome text,
      reason text, message_id text, would_push jsonb, order_number text, email text)
    cross join lateral (
      select ctid as locked from connection_calls
      where business_id = f.business_id and connection_id = f.connection_id and id = f.id and lease is not distinct from $2
      limit 1 for update) c
  )
  update connection_calls c set lease = null, due_at = f.due_at, outcome = f.outcome, reason = f.reason,
    message_id = f.message_id, would_push = f.would_push, order_number = coalesce(f.order_number, c.order_number),
    email = coalesce(f.email, c.email)
  from held f
  where c.ctid = f.locked
  returning c.id`,
);

/** Adds the store's own statuses that its table does not have yet. */
export const noteStatuses = statement<[id: string, statuses: string[], max: number]>(`
  update connections set statuses_seen = (
    select array_agg(s order by s) from (
      select distinct s from unnest(statuses_seen || $2::text[]) s order by s limit $3) seen)
  where id = $1 and not statuses_seen @> $2::text[] and cardinality(statuses_seen) < $3`);

/** Whether any call is due now or in hand, here or in another process. */
export const anyCallDue = statement<[now: Date], { due: boolean }>(`
  select exists (select 1 from connection_calls where due_at is not null and due_at <= $1) as due`);
