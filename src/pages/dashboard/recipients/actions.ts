import { actingMember, recordAudit } from '../../../businesses/audit.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import type { ErasureReport } from '../../../contract/recipients.ts';
import type { Pool } from '../../../db/pool.ts';
import { transaction } from '../../../db/transaction.ts';
import { eraseRecipient } from '../../../erasure/erasure.ts';
import { exportRecipient, withInterfaceTimes } from '../../../erasure/export.ts';
import type { Clock } from '../../../kit/clock.ts';
import type { Hasher } from '../../../kit/seal.ts';
import { stopForShop } from '../../../outbox/shopStop.ts';
import { enterPhone, removePhone } from '../../../recipients/phones.ts';
import { liftSuppressions } from '../../../recipients/suppressions.ts';

/*
 * A member's acts on a customer: the functions of the API and the command line, each with an audit entry of the member. They answer
 * whether anything changed, since the same form may have been sent in another tab.
 */

interface ActionDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
}

/** `email` is the customer's, normalised. */
export interface RecipientAction {
  businessId: string;
  recipientId: string;
  email: string;
  memberId: string;
}

const ATTEMPTS = 3;
const enteredBy = (memberId: string) => ({ source: 'admin', actor: actingMember(memberId) }) as const;

/** Throws an ApiError where the number is none, or another customer's. */
export const enterPhoneAsMember = async (
  deps: ActionDeps,
  { businessId, email, memberId }: RecipientAction,
  typed: string,
): Promise<boolean> => (await enterPhone(deps, { businessId, email }, typed, enteredBy(memberId))).changed;

export const clearPhoneAsMember = async (
  deps: ActionDeps,
  { businessId, email, memberId }: RecipientAction,
): Promise<boolean> => (await removePhone(deps, { businessId, email }, enteredBy(memberId))).changed;

/** Null: the customer is gone. */
export const stopAsMember = (
  { pool, clock, hash }: ActionDeps,
  { businessId, email, memberId }: RecipientAction,
  channel: PaidChannel,
): Promise<{ changed: boolean; cancelled: number; deliveries: number } | null> =>
  transaction(
    pool,
    (tx) => stopForShop(tx, { clock, hash }, { businessId, email, channel, actor: actingMember(memberId) }),
    { attempts: ATTEMPTS },
  );

/** Lifts what the member may lift: a shop its own bounce, an operator more. */
export const liftAsMember = (
  { pool, clock, hash }: ActionDeps,
  { businessId, email, memberId }: RecipientAction,
  lifter: 'shop' | 'operator',
): Promise<{ removed: string[]; removedForAll: boolean; kept: string[] }> =>
  transaction(pool, (tx) =>
    liftSuppressions(tx, hash, { businessId, email, lifter, actor: actingMember(memberId) }, clock.now()),
  );

/** Everything held about a customer, as the API exports it; null: nothing. The audit comes first: no file leaves without it. */
export async function exportAsMember(
  { pool, clock, hash }: ActionDeps,
  { businessId, recipientId, email, memberId }: RecipientAction,
  isGone: () => boolean,
): Promise<string | null> {
  await recordAudit(pool, clock.now(), {
    businessId,
    actor: actingMember(memberId),
    action: 'recipient.exported',
    recipient: { id: recipientId, email },
  });
  const held = await transaction(pool, (tx) => exportRecipient(tx, hash, { businessId, email }, isGone));
  return held === null ? null : withInterfaceTimes({ exported_at: clock.now(), ...held });
}

export const eraseAsMember = (
  { pool, clock, hash }: ActionDeps,
  { businessId, email, memberId }: RecipientAction,
): Promise<ErasureReport> =>
  transaction(
    pool,
    (tx) => eraseRecipient(tx, { clock, hash }, { businessId, email, actor: actingMember(memberId) }),
    { attempts: ATTEMPTS },
  );
