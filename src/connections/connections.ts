import { recordAudit } from '../businesses/audit.ts';
import { noSuchBusiness } from '../businesses/settings.ts';
import { CONNECTION_SECRET_OVERLAP_MS, CONNECTIONS_MAX } from '../config/limits.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, later } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { newId, randomText } from '../kit/ids.ts';
import { at, parseJsonText, textAt } from '../kit/json.ts';
import type { Sealer } from '../kit/seal.ts';
import {
  type ConnectionRow,
  countOfBusiness,
  deleteConnection,
  deletionsOfConnection,
  insertConnection,
  lockShop,
  replaceSecret,
  selectAll,
  selectConnection,
  selectOfBusiness,
  selectSecrets,
  switchOff,
  updateConnection,
} from './connectionsSql.ts';
import type { ConnectionKind } from './kinds/kind.ts';
import { SUBSCRIPTION_QUERY } from './kinds/saleor.ts';
import { kindOf } from './kinds.ts';
import { isRead, needsOf } from './needs.ts';
import { connectionSecretContext, openSecrets } from './secrets.ts';
import { type ConnectionSettings, settingsFrom } from './settings.ts';

/** A store or a tracking service that tells a business's customers by itself. */
export interface Connection extends Omit<ConnectionRow, 'settings' | 'statusesSeen'> {
  settings: ConnectionSettings;
  statusesSeen: readonly string[];
}

export interface ConnectionDeps {
  pool: Pool;
  clock: Clock;
  sealer: Sealer;
}

/** WooCommerce: the consumer key and its secret. Tracking services: the API key, and an empty secret. */
export interface Credentials {
  key: string;
  secret: string;
}

/** Where the store or service sends its calls. */
export const addressOf = (publicUrl: string, { kind, id }: { kind: ConnectionKind; id: string }): string =>
  `${publicUrl}/connect/${kind}/${id}`;

interface NewConnection {
  businessId: string;
  kind: ConnectionKind;
  /** Null: the kind's own. */
  name: string | null;
  /** Null: we make one, or it is entered later, or there is none. */
  secret: string | null;
  storeUrl: string | null;
  credentials: Credentials | null;
  settings?: Partial<ConnectionSettings>;
  actor: string;
}

interface AddedConnection {
  connection: Connection;
  /** Shown only once. */
  secret: string | null;
  /** What the store is told to send; null: it cannot be told. */
  query: string | null;
}

/** It begins by watching. */
export const addConnection = (
  { pool, clock, sealer }: ConnectionDeps,
  { businessId, kind, name, secret: entered, storeUrl, credentials, settings = {}, actor }: NewConnection,
): Promise<AddedConnection> =>
  transaction(pool, async (tx) => {
    const [business] = await lockShop(tx, businessId);
    if (!business) throw noSuchBusiness(businessId);
    const [connections] = await countOfBusiness(tx, businessId);
    if (connections && connections.count >= CONNECTIONS_MAX)
      throw new OperatorError(`A business has at most ${CONNECTIONS_MAX} connections: remove one first.`);

    const now = clock.now();
    const id = newId(now);
    const secret = entered ?? newSecretOf(kind);
    const read = isRead(kind, { storeUrl, hasCredentials: credentials !== null });
    const [row] = await insertConnection(
      tx,
      id,
      businessId,
      kind,
      name ?? kindOf(kind).title,
      JSON.stringify(settings),
      secret === null ? null : sealer.seal(secret, connectionSecretContext(id)),
      storeUrl,
      sealCredentials(sealer, id, credentials),
      now,
      read ? now : null,
    );
    if (!row) throw new Error('the connection was not written');
    const connection = connectionOf(row);
    await auditConnection(tx, now, connection, { actor, action: 'connection.added' });
    return { connection, secret, query: kind === 'saleor' ? SUBSCRIPTION_QUERY : null };
  });

export async function findConnection(db: Queryable, id: string): Promise<Connection | null> {
  const [row] = await selectConnection(db, id);
  return row === undefined ? null : connectionOf(row);
}

/** Oldest first; null: of all businesses. */
export async function listConnections(db: Queryable, businessId: string | null): Promise<Connection[]> {
  const rows = businessId === null ? await selectAll(db) : await selectOfBusiness(db, businessId);
  return rows.map(connectionOf);
}

type ConnectionChange = Partial<Pick<Connection, 'name' | 'status' | 'storeUrl'>> & {
  /** What it does not name stays. */
  settings?: Partial<ConnectionSettings>;
  /** The one before it counts for a while, as after a rotation. */
  secret?: string;
  credentials?: Credentials | null;
};

export const changeConnection = (
  { pool, clock, sealer }: ConnectionDeps,
  connection: Connection,
  change: ConnectionChange,
  actor: string,
): Promise<Connection> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const { name, status, settings = {}, secret, storeUrl, credentials } = change;
    const setsStoreUrl = storeUrl !== undefined;
    const setsCredentials = credentials !== undefined;
    const after = {
      storeUrl: setsStoreUrl ? storeUrl : connection.storeUrl,
      hasCredentials: setsCredentials ? credentials !== null : connection.hasCredentials,
    };
    const wakes = connection.status === 'off' && status !== undefined;
    const [row] = await updateConnection(
      tx,
      connection.id,
      name ?? null,
      status ?? null,
      JSON.stringify(settings),
      setsStoreUrl,
      storeUrl ?? null,
      setsCredentials,
      sealCredentials(sealer, connection.id, credentials ?? null),
      (status ?? connection.status) !== 'off' && isRead(connection.kind, after),
      setsStoreUrl || setsCredentials || wakes ? now : null,
    );
    if (!row) throw noSuchConnection(connection.id);
    const detail = changesOf(connection, change);
    if (Object.keys(detail).length > 0)
      await auditConnection(tx, now, connection, { actor, action: 'connection.changed', ...detail });
    if (secret !== undefined)
      await writeSecret({ tx, now, sealer }, connection, { secret, keepsOld: true, actor });
    return connectionOf(row);
  });

/** Gives a connection a new secret, and answers it. Unless it is to count `now`, the one before it counts for a while, too. */
export const rotateSecret = (
  { pool, clock, sealer }: ConnectionDeps,
  connection: Connection,
  { now: atOnce, secret: entered }: { now: boolean; secret: string | null },
  actor: string,
): Promise<string | null> =>
  transaction(pool, async (tx) => {
    const secret = entered ?? newSecretOf(connection.kind);
    if (secret === null)
      throw new OperatorError(
        `${kindOf(connection.kind).title} makes the secret itself: enter the one that it shows.`,
      );
    const writing = { tx, now: clock.now(), sealer };
    await writeSecret(writing, connection, { secret, keepsOld: !atOnce, actor });
    return secret;
  });

const STORED_DELETED_AT_ONCE = 10_000;

/** With all that it has stored. It is off first, so that one that is interrupted can be removed again and takes nothing meanwhile. */
export async function removeConnection(
  { pool, clock }: ConnectionDeps,
  connection: Connection,
  actor: string,
): Promise<void> {
  const { businessId, id } = connection;
  await switchOff(pool, id);
  const forget = async (db: Queryable) => {
    for (const deleteSome of deletionsOfConnection) {
      let deleted = STORED_DELETED_AT_ONCE;
      while (deleted === STORED_DELETED_AT_ONCE)
        deleted = (await deleteSome(db, businessId, id, STORED_DELETED_AT_ONCE)).length;
    }
  };
  await forget(pool);
  await transaction(pool, async (tx) => {
    const [removed] = await deleteConnection(tx, id);
    if (!removed) throw noSuchConnection(id);
    await auditConnection(tx, clock.now(), connection, { actor, action: 'connection.removed' });
  });
  // What was being handled meanwhile.
  await forget(pool);
}

/** The newest secret first. None is kept outside of the database, so that a rotation counts everywhere at once. */
export async function secretsAndCredentials(
  db: Queryable,
  sealer: Sealer,
  connectionId: string,
  now: Date,
): Promise<{ secrets: string[]; credentials: Credentials | null }> {
  const [row] = await selectSecrets(db, connectionId);
  if (!row) return { secrets: [], credentials: null };
  return {
    secrets: openSecrets(sealer, { ...row, id: connectionId }, now),
    credentials: openCredentials(sealer, connectionId, row.credentials_sealed),
  };
}

export const noSuchConnection = (id: string): OperatorError =>
  new OperatorError(`No connection has the id "${id}".`);

const connectionOf = (row: ConnectionRow): Connection => ({ ...row, settings: settingsFrom(row.settings) });

/** Credentials open only for their connection, and not as its secret. */
const credentialsContext = (id: string): string => `connection_credentials:${id}`;

/** 165 bits, in characters that a store's form leaves as they are. */
const SECRET_CHARACTERS = 32;
const newSecretOf = (kind: ConnectionKind): string | null =>
  needsOf(kind).secret === 'made' ? randomText(SECRET_CHARACTERS) : null;

const sealCredentials = (sealer: Sealer, id: string, credentials: Credentials | null): Buffer | null =>
  credentials === null ? null : sealer.seal(JSON.stringify(credentials), credentialsContext(id));

function openCredentials(sealer: Sealer, id: string, sealed: Buffer | null): Credentials | null {
  if (sealed === null) return null;
  const stored = parseJsonText(sealer.open(sealed, credentialsContext(id)));
  return { key: textAt(stored, 'key') ?? '', secret: textAt(stored, 'secret') ?? '' };
}

async function writeSecret(
  { tx, now, sealer }: { tx: Queryable; now: Date; sealer: Sealer },
  connection: Connection,
  { secret, keepsOld, actor }: { secret: string; keepsOld: boolean; actor: string },
): Promise<void> {
  const { id } = connection;
  const sealed = sealer.seal(secret, connectionSecretContext(id));
  const until = keepsOld ? later(now, CONNECTION_SECRET_OVERLAP_MS) : null;
  const [written] = await replaceSecret(tx, id, sealed, until);
  if (!written) throw noSuchConnection(id);
  await auditConnection(tx, now, connection, { actor, action: 'connection.secret_rotated' });
}

const auditConnection = (
  tx: Queryable,
  now: Date,
  { businessId, id, kind }: Connection,
  { actor, action, ...detail }: { actor: string; action: string; [field: string]: unknown },
): Promise<void> =>
  recordAudit(tx, now, { businessId, actor, action, detail: { connection_id: id, kind, ...detail } });

/** What becomes otherwise, for the audit. The keys of our own calls are not named. */
function changesOf(
  before: Connection,
  { name, status, storeUrl, settings = {}, credentials }: ConnectionChange,
): Record<string, unknown> {
  const named = [
    ...Object.entries({ name, status, storeUrl }).map(
      ([field, to]) => [field, at(before, field), to] as const,
    ),
    ...Object.entries(settings).map(([field, to]) => [field, at(before.settings, field), to] as const),
  ];
  const changes = named.filter(
    ([, from, to]) => to !== undefined && JSON.stringify(from) !== JSON.stringify(to),
  );
  return Object.fromEntries([
    ...changes.map(([field, from, to]) => [field, { from, to }]),
    ...(credentials === undefined ? [] : [['credentials', credentials === null ? 'removed' : 'entered']]),
  ]);
}
