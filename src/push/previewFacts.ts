import type { Pool } from '../db/pool.ts';
import { setReadOnly } from '../db/sql.ts';
import type { Queryable } from '../db/statement.ts';
import { TransactionEnd, transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { columns } from '../kit/columns.ts';
import { groupBy } from '../kit/groupBy.ts';
import type { Hasher } from '../kit/seal.ts';
import { type KnownShipment, shipmentsOfOrders } from '../orders/shipmentReadsSql.ts';
import { loadGroup, type PushOfBusiness, preloadFacts } from './load.ts';
import { peekGroupRows } from './loadSql.ts';
import { keyOf, type PushSnapshot } from './snapshot.ts';

export interface PreviewFacts {
  now: Date;
  /** Shared with other previews, whose decisions leave it as it is. */
  snapshot: PushSnapshot;
  /** Of the order that the push names. */
  shipments: KnownShipment[];
}

interface FactsDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
}

const GROUPS = 2;
const MAX_GROUP_SIZE = 100;
const MAX_WAITING = 2_000;

/** Previews that arrive together read together: the statement that loads one costs as much as a dozen of its rows. */
export const gatherPreviewFacts = (deps: FactsDeps) =>
  coalesce<PushOfBusiness, PreviewFacts>({
    run: (pushes) => loadEach(deps, pushes),
    concurrency: GROUPS,
    maxItems: MAX_GROUP_SIZE,
    maxWaiting: MAX_WAITING,
    tenantOf: ({ businessId }) => businessId,
  });

/** If a group fails, each of its previews is loaded alone, so that one that cannot be read does not fail the others. */
async function loadEach(
  deps: FactsDeps,
  pushes: PushOfBusiness[],
): Promise<(PreviewFacts | Promise<PreviewFacts>)[]> {
  try {
    return pushes.map(await loadTogether(deps, pushes));
  } catch (error) {
    if (pushes.length === 1) throw error;
    return pushes.map(async (push) => (await loadTogether(deps, [push]))(push));
  }
}

/** Reads without locks, in a transaction that cannot write. */
async function loadTogether(
  { pool, clock, hash }: FactsDeps,
  pushes: PushOfBusiness[],
): Promise<(push: PushOfBusiness) => PreviewFacts> {
  const now = clock.now();
  const [snapshot, shipments] = await transaction(
    pool,
    async (tx) => {
      const first = { now, pushes, keys: [], callers: [] };
      const [, { heldNumbers }] = await Promise.all([setReadOnly(tx), preloadFacts(tx, first)]);
      return TransactionEnd.readOnly(
        await Promise.all([
          loadGroup(tx, hash, now, pushes, heldNumbers, peekGroupRows),
          shipmentsOf(tx, pushes),
        ]),
      );
    },
    { planning: 'by_key' },
  );
  return (push) => ({ now, snapshot, shipments: shipments.get(orderOf(push)) ?? [] });
}

/** By order, of all orders that the pushes name. */
async function shipmentsOf(
  tx: Queryable,
  pushes: readonly PushOfBusiness[],
): Promise<ReadonlyMap<string, KnownShipment[]>> {
  const orders = new Map(
    pushes.flatMap((push) => {
      const { businessId, request } = push;
      return request.reference === null
        ? []
        : [[orderOf(push), { businessId, reference: request.reference }]];
    }),
  );
  if (orders.size === 0) return new Map();
  const named = columns([...orders.values()], 'businessId', 'reference');
  const found = await shipmentsOfOrders(
    tx,
    ...named,
    named[0].map(() => ''),
  );
  return groupBy(found, ({ business_id, reference }) => keyOf(business_id, reference));
}

const orderOf = ({ businessId, request }: PushOfBusiness): string =>
  keyOf(businessId, request.reference ?? '');
