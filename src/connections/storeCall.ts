/// <reference lib="es2024.string" />
import type { Queryable } from '../db/statement.ts';
import type { Clock } from '../kit/clock.ts';
import { newId, sha256 } from '../kit/ids.ts';
import type { CallDescription } from './kinds/kind.ts';
import { storeCalls, storeCallsAndHear } from './receiveSql.ts';
import type { ConnectionStatus } from './settings.ts';

/** A call to store, or an order that was read from the store as if it had called. */
export interface NewCall {
  description: CallDescription;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** It is stored as done. */
  isPing: boolean;
}

export interface CallToStore {
  connection: { id: string; businessId: string; status: ConnectionStatus };
  call: NewCall;
  /** Whether to note that the connection was heard of. */
  isHeard: boolean;
}

export type StoreOutcome = 'stored' | 'repeated';

/** The same call again is `repeated`. */
export async function storeCall(
  db: Queryable,
  clock: Clock,
  connection: CallToStore['connection'],
  call: NewCall,
): Promise<StoreOutcome> {
  const [outcome = 'repeated'] = await storeAll(db, clock.now(), [{ connection, call, isHeard: false }]);
  return outcome;
}

/** Calls of any connections in one statement; an outcome for each, in their order. */
export async function storeAll(
  db: Queryable,
  now: Date,
  calls: readonly CallToStore[],
): Promise<StoreOutcome[]> {
  const ids = calls.map((_, index) => newId(now, index));
  const described = calls.map(({ call }) => storableDescription(call));
  const lists = [
    calls.map(({ connection }) => connection.businessId),
    calls.map(({ connection }) => connection.id),
    ids,
    described.map(({ key }) => key),
    described.map(({ topic }) => topic),
    described.map(({ storeOrder }) => storeOrder),
    calls.map(({ call }) => JSON.stringify(call.headers)),
    calls.map(({ call }) => call.body),
    calls.map(({ connection }) => connection.status === 'watching'),
    calls.map(({ call }) => call.isPing),
    now,
  ] as const;
  const heard = calls.flatMap(({ connection, isHeard }) => (isHeard ? [connection.id] : []));
  const stored =
    heard.length === 0 ? await storeCalls(db, ...lists) : await storeCallsAndHear(db, ...lists, heard);
  const isNew = new Set(stored.map(({ id }) => id));
  return ids.map((id) => (isNew.has(id) ? 'stored' : 'repeated'));
}

const TEXT_MAX = 200;
const isStorable = (text: string): boolean =>
  text.length <= TEXT_MAX && text.isWellFormed() && !text.includes('\0');

/** What a call says of itself may be of any length, and hold what Postgres stores in no text. */
function storableDescription({ description, body }: NewCall): CallDescription {
  const { topic, key, storeOrder } = description;
  return {
    topic: topic.slice(0, TEXT_MAX).toWellFormed().replaceAll('\0', '\u{fffd}'),
    // An empty key would make one of all calls.
    key:
      key !== '' && isStorable(key) ? key : sha256(Buffer.concat([Buffer.from(key), body])).toString('hex'),
    storeOrder: storeOrder !== null && isStorable(storeOrder) ? storeOrder : null,
  };
}
