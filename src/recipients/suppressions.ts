import type { Queryable } from '../db/statement.ts';
import { DAY, later } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { insertPlatformSuppressions, insertSuppressions, insertUnreachable } from './stopsSql.ts';

interface Suppression {
  businessId: string;
  email: string;
  reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator';
  /** A permanent bounce from the shared sending domain: no other business may send to the address from that domain. */
  platformWide?: boolean;
}

/** Records addresses that get no more email from a business. Keyed by hash, so that a suppression outlives an erasure. */
export async function suppress(
  tx: Queryable,
  hash: Hasher,
  suppressions: readonly Suppression[],
  now: Date,
): Promise<void> {
  if (suppressions.length === 0) return;
  const rows = suppressions.map(({ businessId, email, reason }) => ({
    business_id: businessId,
    email_hash: `\\x${hash.hex('email', email)}`,
    reason,
    email,
    at: now,
  }));
  await insertSuppressions(tx, JSON.stringify(rows));
  const platformWide = suppressions.filter((suppression) => suppression.platformWide === true);
  if (platformWide.length > 0) {
    await insertPlatformSuppressions(
      tx,
      platformWide.map(({ email }) => hash('email', email)),
      now,
    );
  }
}

const UNREACHABLE_MS = 30 * DAY;

/** WhatsApp reported these numbers as not registered. The report holds for 30 days, per business. */
export async function rememberNotOnWhatsapp(
  tx: Queryable,
  hash: Hasher,
  numbers: readonly { businessId: string; number: string }[],
  now: Date,
): Promise<void> {
  if (numbers.length === 0) return;
  const until = later(now, UNREACHABLE_MS);
  const rows = numbers.map(({ businessId, number }) => ({
    business_id: businessId,
    number_hash: `\\x${hash.hex('phone', number)}`,
    until,
  }));
  await insertUnreachable(tx, JSON.stringify(rows));
}
