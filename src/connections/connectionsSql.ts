import { statement } from '../db/statement.ts';
import type { ConnectionKind } from './kinds/kind.ts';
import type { ConnectionStatus } from './settings.ts';

export interface ConnectionRow {
  id: string;
  businessId: string;
  kind: ConnectionKind;
  name: string;
  status: ConnectionStatus;
  settings: unknown;
  storeUrl: string | null;
  statusesSeen: string[];
  hasCredentials: boolean;
  createdAt: Date;
  lastReceivedAt: Date | null;
  lastError: string | null;
  nextReadAt: Date | null;
  readUpTo: string | null;
}

const CONNECTION = `
  id, business_id as "businessId", kind, name, status, settings, store_url as "storeUrl", statuses_seen as "statusesSeen",
  credentials_sealed is not null as "hasCredentials", created_at as "createdAt", last_received_at as "lastReceivedAt",
  last_error as "lastError", next_read_at as "nextReadAt", read_up_to as "readUpTo"`;

export const selectConnection = statement<[id: string], ConnectionRow>(`
  select ${CONNECTION} from connections where id = $1`);

/** Oldest first. */
export const selectOfBusiness = statement<[businessId: string], ConnectionRow>(`
  select ${CONNECTION} from connections where business_id = $1 order by id`);

export const selectAll = statement<[], ConnectionRow>(`
  select ${CONNECTION} from connections order by business_id, id`);

export interface SecretsRow {
  secret_sealed: Buffer | null;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Date | null;
  credentials_sealed: Buffer | null;
}

export const selectSecrets = statement<[id: string], SecretsRow>(`
  select secret_sealed, previous_secret_sealed, previous_secret_until, credentials_sealed from connections where id = $1`);

/** Serialises the adding of connections, so that their count is exact. Pushes, whose foreign keys refer to the row, do not wait. */
export const lockShop = statement<[businessId: string], { id: string }>(`
  select id from businesses where id = $1 for no key update`);

/** A statement of its own after the lock, so that it sees the commits of the lock's previous holder. */
export const countOfBusiness = statement<[businessId: string], { count: number }>(`
  select count(*)::int as count from connections where business_id = $1`);

export const insertConnection = statement<
  [
    id: string,
    businessId: string,
    kind: ConnectionKind,
    name: string,
    settings: string,
    secretSealed: Buffer | null,
    storeUrl: string | null,
    credentialsSealed: Buffer | null,
    createdAt: Date,
    nextReadAt: Date | null,
  ],
  ConnectionRow
>(`
  insert into connections (id, business_id, kind, name, settings, secret_sealed, store_url, credentials_sealed, created_at,
    next_read_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  returning ${CONNECTION}`);

/**
 * Leaves alone what is not named: null for a name, a status and a time to read next, false for what null would empty. A new address or a
 * new key may be those of another store, so reading begins anew.
 */
export const updateConnection = statement<
  [
    id: string,
    name: string | null,
    status: ConnectionStatus | null,
    settings: string,
    setsStoreUrl: boolean,
    storeUrl: string | null,
    setsCredentials: boolean,
    credentialsSealed: Buffer | null,
    isRead: boolean,
    readNextAt: Date | null,
  ],
  ConnectionRow
>(`
  update connections set name = coalesce($2, name), status = coalesce($3, status), settings = settings || $4::jsonb,
    store_url = case when $5::boolean then $6 else store_url end,
    credentials_sealed = case when $7::boolean then $8::bytea else credentials_sealed end,
    next_read_at = case when $9::boolean then coalesce($10::timestamptz, next_read_at) end,
    last_error = case when $5::boolean or $7::boolean then null else last_error end,
    read_up_to = case when $5::boolean and store_url is distinct from $6 then null else read_up_to end
  where id = $1
  returning ${CONNECTION}`);

/** The secret before counts until `previousUntil`; null: not at all. */
export const replaceSecret = statement<
  [id: string, secretSealed: Buffer, previousUntil: Date | null],
  { id: string }
>(`
  update connections set secret_sealed = $2,
    previous_secret_sealed = case when $3::timestamptz is null then null else secret_sealed end,
    previous_secret_until = case when secret_sealed is null then null else $3 end
  where id = $1
  returning id`);

export const switchOff = statement<[id: string]>(`
  update connections set status = 'off', next_read_at = null where id = $1`);

export const deleteConnection = statement<[id: string], { id: string }>(`
  delete from connections where id = $1 returning id`);

type OfConnection = [businessId: string, connectionId: string];

/** Some of what a connection has stored, so that none of the deletions takes long. */
const deleteSome = (table: string, key: string) =>
  statement<[...OfConnection, limit: number], { deleted: true }>(`
    delete from ${table} where business_id = $1 and connection_id = $2 and ${key} = any (array(
      select ${key} from ${table} where business_id = $1 and connection_id = $2 order by ${key} limit $3))
    returning true as deleted`);

export const deletionsOfConnection = [
  deleteSome('connection_calls', 'id'),
  deleteSome('connection_orders', 'store_order'),
  deleteSome('tracking_registrations', 'tracking_number'),
] as const;
