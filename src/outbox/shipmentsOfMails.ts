import type { Queryable } from '../db/statement.ts';
import { columns } from '../kit/columns.ts';
import { groupBy } from '../kit/groupBy.ts';
import { type KnownShipment, shipmentsOfOrders } from '../orders/shipmentReadsSql.ts';
import type { LockedSend } from './lockSql.ts';

type Announcing = Pick<LockedSend, 'business_id' | 'channel' | 'reference' | 'tracking_number'>;

/**
 * What each mail shows: the shipment that its message names, else all of its order's. Only a mail about an order costs a
 * read.
 */
export async function shipmentsOfMails(
  tx: Queryable,
  sends: readonly Announcing[],
): Promise<(send: Announcing) => readonly KnownShipment[]> {
  const wanted = new Map(
    sends.flatMap((send) => {
      const key = keyOf(send);
      return key === null ? [] : [[JSON.stringify(key), key] as const];
    }),
  );
  if (wanted.size === 0) return () => [];
  const rows = await shipmentsOfOrders(
    tx,
    ...columns([...wanted.values()], 'business_id', 'reference', 'named'),
  );
  const found = groupBy(rows, ({ business_id, reference, named }) =>
    JSON.stringify({ business_id, reference, named }),
  );
  return (send) => found.get(JSON.stringify(keyOf(send))) ?? [];
}

const keyOf = ({ business_id, channel, reference, tracking_number }: Announcing) =>
  channel === 'email' && reference !== null ? { business_id, reference, named: tracking_number ?? '' } : null;
