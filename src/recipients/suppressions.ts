import { recordAudit, recordPlatformAudit } from '../businesses/audit.ts';
import type { Queryable } from '../db/statement.ts';
import { DAY, later } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { findRecipient } from './sql.ts';
import {
  findReasons,
  insertPlatformSuppressions,
  insertSuppressions,
  insertUnreachable,
  removePlatformSuppression,
  removeSuppressions,
} from './stopsSql.ts';

export type SuppressionReason = 'bounce' | 'complaint' | 'unsubscribe' | 'operator';

interface Suppression {
  businessId: string;
  email: string;
  reason: SuppressionReason;
  /** A permanent bounce from the shared sending domain: no other business may send to the address from that domain. */
  platformWide?: boolean;
}

/** Records addresses that get no more email from a business. Keyed by hash, so that a suppression outlives an erasure. */
export async function suppress(tx: Queryable, hash: Hasher, suppressions: readonly Suppression[], now: Date) {
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
  const hashes = platformWide.map(({ email }) => hash('email', email));
  if (hashes.length > 0) await insertPlatformSuppressions(tx, hashes, now);
}

/**
 * Who may lift what. An address can be repaired, so a shop may try it again. A complaint harms everybody who mails from the
 * same domain, and so do bounces at other shops: an operator decides about them. An unsubscription is the person's own
 * decision, and nobody else lifts it.
 */
const LIFTED_BY: Record<'shop' | 'operator', readonly SuppressionReason[]> = {
  shop: ['bounce'],
  operator: ['bounce', 'complaint', 'operator'],
};

export const mayLift = (lifter: 'shop' | 'operator', reason: SuppressionReason): boolean =>
  LIFTED_BY[lifter].includes(reason);

interface Lifting {
  businessId: string;
  email: string;
  lifter: 'shop' | 'operator';
  actor: string;
}

/**
 * Lets a business mail an address again, as far as `lifter` may, with an audit entry if anything changed. `email` is normalised.
 * `removedForAll`: a bounce on the shared sending domain was lifted for every business. `kept`: why it still sends no email.
 */
export async function liftSuppressions(
  tx: Queryable,
  hash: Hasher,
  { businessId, email, lifter, actor }: Lifting,
  now: Date,
) {
  const emailHash = hash('email', email);
  const lifted = await removeSuppressions(tx, businessId, emailHash, LIFTED_BY[lifter]);
  const removed = lifted.map(({ reason }) => reason);
  const platform = lifter === 'operator' && (await removePlatformSuppression(tx, emailHash)).length > 0;
  const kept = (await findReasons(tx, businessId, emailHash)).map(({ reason }) => reason);
  if (removed.length > 0 || platform) {
    // The audit names only recipients: no erasure would find another address there.
    const [recipient] = await findRecipient(tx, businessId, email);
    await recordAudit(tx, now, {
      businessId,
      actor,
      action: 'suppression.removed',
      detail: { removed, platform },
      ...(recipient && { recipient: { id: recipient.id, email: recipient.email } }),
    });
  }
  return { removed, removedForAll: platform, kept };
}

/** Ends what a bounce on the shared sending domain blocked; what a business keeps of its own stays. False: nothing was blocked. */
export async function liftForAll(
  tx: Queryable,
  hash: Hasher,
  { email, actor }: { email: string; actor: string },
  now: Date,
): Promise<boolean> {
  const lifted = await removePlatformSuppression(tx, hash('email', email));
  if (lifted.length === 0) return false;
  // Without the address: no erasure would find it in this log.
  await recordPlatformAudit(tx, now, { actor, action: 'suppression.lifted_for_all' });
  return true;
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
