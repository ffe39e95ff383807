import { isUnavailable } from '../db/errors.ts';
import { type Pool, requireShard } from '../db/pool.ts';
import { type Clock, earlier, monotonicMs, SECOND } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { sha256 } from '../kit/ids.ts';
import type { Sealer } from '../kit/seal.ts';
import { KeysUnreadable } from './keySets.ts';
import type { Authenticity, ConnectionKind, Proof, RawCall } from './kinds/kind.ts';
import { kindOf } from './kinds.ts';
import { HEARD_EVERY_SECONDS, noteError, type ReceivingRow, readReceiving } from './receiveSql.ts';
import { openSecrets } from './secrets.ts';
import { type CallToStore, type NewCall, type StoreOutcome, storeAll } from './storeCall.ts';

export { type NewCall, storeCall } from './storeCall.ts';

export interface ReceiverDeps {
  pool: Pool;
  clock: Clock;
  /** Stores and services sign with theirs. */
  wallClock: Clock;
  sealer: Sealer;
  keysOf: Proof['keysOf'];
  /** There are calls to handle. */
  onCalls(): void;
}

export type Receiver = ReturnType<typeof createReceiver>;

/** `removed`: while its body came. Only `stored` leaves work to do. */
export type ReceiveOutcome = StoreOutcome | 'ping' | 'off' | 'refused' | 'removed';

/** A connection as it was at `readAtMs`. */
export interface ReceivingConnection {
  row: ReceivingRow;
  readAtMs: number;
}

/** A rotation, a removal or a change of status counts for a call whose body comes slowly, too. */
const READ_AGAIN_AFTER_MS = SECOND;

/** From a request to a connection's address to a stored call. */
export function createReceiver(deps: ReceiverDeps) {
  const find = createFinder(deps.pool);
  const store = createStore(deps);
  return {
    find,
    async receive(found: ReceivingConnection, call: RawCall): Promise<ReceiveOutcome> {
      const isRecent = monotonicMs() - found.readAtMs < READ_AGAIN_AFTER_MS;
      const connection = isRecent ? found : await find(found.row.kind, found.row.id);
      if (connection === null) return 'removed';
      const { row } = connection;
      if (row.status === 'off') return 'off';
      const kind = kindOf(row.kind);
      const authenticity = await verify(deps, row, call);
      if (authenticity === 'refused') return 'refused';
      const isPing = authenticity === 'ping';
      const outcome = await store(row, {
        description: isPing ? pingOf(call) : kind.describe(call),
        headers: headersOf(call, kind.keptHeaders),
        body: call.body,
        isPing,
      });
      if (outcome === 'stored' && !isPing) deps.onCalls();
      return isPing ? 'ping' : outcome;
    },
  };
}

/** The ids that a connection can have: anything else is not looked for. */
const CONNECTION_ID = /^[0-9a-z]{1,40}$/;
const READS_AT_ONCE = 2;
const READ_MAX = 100;
const READS_WAITING_MAX = 2_000;

/** Reads connections by their kinds and ids, those of calls that come together at once. Nothing is kept from one read to the next. */
function createFinder(pool: Pool) {
  const reads = coalesce<string, ReceivingConnection | null>({
    concurrency: READS_AT_ONCE,
    maxItems: READ_MAX,
    maxWaiting: READS_WAITING_MAX,
    async run(ids) {
      const readAtMs = monotonicMs();
      const rows = new Map((await readReceiving(pool, [...new Set(ids)])).map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rows.get(id);
        return row === undefined ? null : { row, readAtMs };
      });
    },
  });
  /** Null: there is none of this kind. */
  return async (kind: ConnectionKind, id: string): Promise<ReceivingConnection | null> => {
    const found = CONNECTION_ID.test(id) ? await reads.add(id) : null;
    return found?.row.kind === kind ? found : null;
  };
}

/** The shop reads why its store's public keys cannot be read, until they can. */
async function verify(deps: ReceiverDeps, row: ReceivingRow, call: RawCall): Promise<Authenticity> {
  const { pool, clock, wallClock, sealer } = deps;
  let error: string | null = null;
  let areKeysAsked = false;
  const proof: Proof = {
    secrets: openSecrets(sealer, row, clock.now()),
    storeUrl: row.store_url,
    now: wallClock.now(),
    keysOf(storeUrl, options) {
      areKeysAsked = true;
      return deps.keysOf(storeUrl, options);
    },
  };
  try {
    return await kindOf(row.kind).verify(call, proof);
  } catch (thrown) {
    if (thrown instanceof KeysUnreadable) error = thrown.failure;
    throw thrown;
  } finally {
    if (areKeysAsked && error !== row.last_error) await noteError(pool, row.id, error);
  }
}

/** A store can say more than once that it has found us. */
const pingOf = ({ body }: RawCall) => ({
  topic: 'ping',
  key: `ping ${sha256(body).toString('hex')}`,
  storeOrder: null,
});

const KEPT_HEADER_MAX = 500;

const headersOf = ({ header }: RawCall, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = header(name);
      return value === undefined || value.length > KEPT_HEADER_MAX ? [] : [[name, value]];
    }),
  );

const STORES_AT_ONCE = 2;
const STORED_TOGETHER_MAX = 100;
/** As for pushes, a smaller second list costs more than it gains. */
const STORED_TOGETHER_LEAST = 16;
/** Of one business; all together may have twice as many. */
const STORES_WAITING_MAX = 2_000;
const STORES_WAITING_MAX_BYTES = 32 * 1024 * 1024;
const LATE_AFTER_MS = 200;

/** Stores calls that come together in one statement, in which the businesses take turns. */
function createStore({ pool, clock }: Pick<ReceiverDeps, 'pool' | 'clock'>) {
  const writes = coalesce<CallToStore, StoreOutcome>({
    concurrency: STORES_AT_ONCE,
    spareConcurrency: 1,
    maxItems: STORED_TOGETHER_MAX,
    minListSize: STORED_TOGETHER_LEAST,
    maxWaiting: STORES_WAITING_MAX,
    maxWaitingBytes: STORES_WAITING_MAX_BYTES,
    lateAfterMs: LATE_AFTER_MS,
    tenantOf: ({ connection }) => connection.businessId,
    sizeOf: ({ call }) => call.body.length,
    run: (calls) => storeAll(pool, clock.now(), calls).catch((error: unknown) => storeAlone(calls, error)),
  });

  /** A call that cannot be stored fails no other. */
  const storeAlone = (calls: CallToStore[], error: unknown): Promise<StoreOutcome>[] => {
    if (calls.length === 1 || isUnavailable(error)) throw error;
    return calls.map(async (call) => {
      const [outcome = 'repeated'] = await storeAll(pool, clock.now(), [call]);
      return outcome;
    });
  };

  return async (row: ReceivingRow, call: NewCall): Promise<StoreOutcome> => {
    requireShard(pool, row.business_id);
    const { id, status, business_id: businessId, last_received_at: heardAt } = row;
    const isHeard = heardAt === null || heardAt <= earlier(clock.now(), HEARD_EVERY_SECONDS * SECOND);
    return writes.add({ connection: { id, businessId, status }, call, isHeard });
  };
}
