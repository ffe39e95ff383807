import { recordAudit } from '../../../businesses/audit.ts';
import { type NewBusiness, writeBusiness } from '../../../businesses/create.ts';
import { grantCredits } from '../../../businesses/credits.ts';
import { DEMO_BUSINESS_ID } from '../../../businesses/demo.ts';
import type { SettingsChange } from '../../../businesses/settings.ts';
import { changeSettings } from '../../../businesses/settingsChange.ts';
import type { Pool } from '../../../db/pool.ts';
import { ACTION_TRANSACTION, transaction } from '../../../db/transaction.ts';
import type { Clock } from '../../../kit/clock.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { newId } from '../../../kit/ids.ts';
import type { Hasher } from '../../../kit/seal.ts';
import { type AddedMember, addMember } from '../../../members/members.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { findReasons } from '../../../recipients/stopsSql.ts';
import { suppress } from '../../../recipients/suppressions.ts';
import { rebuildUsage } from '../../../usage/rebuild.ts';
import { recordEvents } from '../../../webhooks/events.ts';

/*
 * What an operator does to a shop, by the command line and in the dashboard alike. Each leaves an audit entry in the shop, so that its
 * members see it.
 */

interface ActionDeps {
  pool: Pool;
  clock: Clock;
}

/** `actor` is the command line's operator, or a member who is one. */
export interface ShopAction {
  businessId: string;
  actor: string;
}

/** Opens a shop with its owner. It gets no key: the owner makes one, and nobody else has seen it. */
export const openShop = (
  { pool, clock }: ActionDeps,
  shop: NewBusiness & { ownerEmail: string },
  actor: string,
): Promise<{ businessId: string; owner: AddedMember }> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const businessId = newId(now);
    await writeBusiness(tx, now, businessId, shop, actor);
    const owner = await addMember(tx, now, { businessId, email: shop.ownerEmail, role: 'owner' }, actor);
    return { businessId, owner };
  });

/** Changes settings, with the events about the shop's plan. `deliveries`: how many webhook deliveries were queued. */
export async function changeShop(
  { pool, clock, sandbox }: ActionDeps & { sandbox: boolean },
  { businessId, actor }: ShopAction,
  change: SettingsChange,
): Promise<{ changed: boolean; deliveries: number }> {
  if (change.active === true && businessId === DEMO_BUSINESS_ID && !sandbox)
    throw new OperatorError(
      'The demo business stays inactive while the sandbox is off: create a business of your own (business create).',
    );
  return transaction(
    pool,
    async (tx) => {
      const now = clock.now();
      const { changed, events: planEvents } = await changeSettings(tx, now, businessId, change, actor);
      const events = planEvents.map((event) => ({
        ...event,
        businessId,
        messageId: null,
        recipientId: null,
      }));
      return { changed, deliveries: await recordEvents(tx, events, now) };
    },
    ACTION_TRANSACTION,
  );
}

/** Returns the new balance. */
export const grantToShop = (
  { pool, clock }: ActionDeps,
  { businessId, actor }: ShopAction,
  { credits, note }: { credits: number; note: string | null },
): Promise<number> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const balance = await grantCredits(tx, { businessId, credits, note }, now);
    await recordAudit(tx, now, { businessId, actor, action: 'credits.granted', detail: { credits } });
    return balance;
  });

/** Stops all email of a shop to an address, which is normalised. False: an operator had stopped it before. */
export const suppressForShop = (
  { pool, clock, hash }: ActionDeps & { hash: Hasher },
  { businessId, actor }: ShopAction,
  email: string,
): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const before = await findReasons(tx, businessId, hash('email', email));
    if (before.some(({ reason }) => reason === 'operator')) return false;
    await suppress(tx, hash, [{ businessId, email, reason: 'operator' }], now);
    // The audit names only recipients: no erasure would find another address there.
    const [recipient] = await findRecipient(tx, businessId, email);
    await recordAudit(tx, now, {
      businessId,
      actor,
      action: 'suppression.added',
      ...(recipient && { recipient: { id: recipient.id, email: recipient.email } }),
    });
    return true;
  });

/** Counts the usage of a shop anew. Its pushes wait meanwhile. */
export const rebuildShopUsage = ({ pool, clock }: ActionDeps, { businessId, actor }: ShopAction) =>
  transaction(
    pool,
    async (tx) => {
      const now = clock.now();
      const rebuilt = await rebuildUsage(tx, businessId, now);
      const { changed, ...range } = rebuilt;
      const detail = { ...range, days_changed: changed.length };
      await recordAudit(tx, now, { businessId, actor, action: 'usage.rebuilt', detail });
      return rebuilt;
    },
    ACTION_TRANSACTION,
  );
