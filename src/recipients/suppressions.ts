import type { Queryable } from '../db/statement.ts';
import { DAY, later } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { insertPlatformSuppressions, insertSuppressions, insertUnreachable } from './stopsSql.ts';

export interface Suppression {
  businessId: string;
  email: string;
  reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator';
  /** It went out from the shared sending domain and bounced for good: other businesses must not try that address there. */
  platformWide?: boolean;
}

/** Remembers addresses that get no more email from a business. Kept by hash, so that it outlives an erasure. */
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

/** WhatsApp said it does not know these numbers; believed for 30 days, per business. */
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
