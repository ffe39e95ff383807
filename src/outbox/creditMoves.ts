import type { CreditMove } from '../businesses/credits.ts';
import type { LockedSend } from './lockSql.ts';

/** The credit movements that the flags `reserved` and `charged` imply. */
export function creditMoves({ before, after }: { before: LockedSend; after: LockedSend }): CreditMove[] {
  const { credits } = after;
  if (credits === 0) return [];
  const move = (kind: CreditMove['kind']): CreditMove[] => [
    { kind, businessId: after.business_id, sendId: after.id, credits, country: after.country },
  ];
  if (before.charged && !after.charged) return move('refund');
  if (!before.charged && after.charged) return move(before.reserved ? 'charge_reserved' : 'charge');
  if (before.reserved && !after.reserved) return move('release');
  if (!before.reserved && after.reserved) return move('reserve');
  return [];
}
