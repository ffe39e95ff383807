import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { Sealer } from '../kit/seal.ts';
import { recordAudit } from './audit.ts';
import type { DkimKey } from './domains/records.ts';
import { insertDomain, removeDomain } from './domains/sql.ts';
import { removeProviderSender, removeSender, setProviderSender, setSender } from './sql.ts';

interface SenderChange {
  businessId: string;
  channel: Channel;
  /** The one provider that it is used with; null: every one of the channel. */
  provider: string | null;
  actor: string;
}

/**
 * Gives a business its own sender instead of the shared one. Its DNS is not checked: the operator of the mail server or of the
 * provider's account vouches for it. Call it in a transaction.
 */
export async function giveSender(
  tx: Queryable,
  now: Date,
  { businessId, channel, provider, actor, address }: SenderChange & { address: string },
): Promise<void> {
  if (provider !== null) await setProviderSender(tx, businessId, channel, provider, address);
  else await setSender(tx, businessId, channel, address);
  if (channel === 'email') await removeDomain(tx, businessId);
  const detail = { channel, ...(provider !== null && { provider }), address };
  await recordAudit(tx, now, { businessId, actor, action: 'sender.set', detail });
}

/**
 * Gives a business its own sender of emails, used once its domain is verified: its mails are signed with a key of the domain's own.
 * A domain that the business has already keeps its key. Call it in a transaction.
 */
export async function addEmailSender(
  tx: Queryable,
  now: Date,
  sealer: Sealer,
  {
    businessId,
    actor,
    address,
    key,
  }: Pick<SenderChange, 'businessId' | 'actor'> & { address: string; key: DkimKey },
): Promise<void> {
  const sealed = sealer.seal(key.privateKey, domainKeyContext(businessId));
  await setSender(tx, businessId, 'email', address);
  await insertDomain(tx, businessId, domainOf(address), key.selector, key.publicKey, sealed, now);
  const detail = { channel: 'email', address };
  await recordAudit(tx, now, { businessId, actor, action: 'sender.domain_added', detail });
}

/** A sealed key opens only for its business. */
export const domainKeyContext = (businessId: string): string => `sender_domain:${businessId}`;

/** Removes it again. Returns its address; null: the business had none. */
export async function takeSender(
  tx: Queryable,
  now: Date,
  { businessId, channel, provider, actor }: SenderChange,
): Promise<string | null> {
  const [removed] = await (provider === null
    ? removeSender(tx, businessId, channel)
    : removeProviderSender(tx, businessId, channel, provider));
  if (!removed) return null;
  if (channel === 'email') await removeDomain(tx, businessId);
  const detail = { channel, ...(provider !== null && { provider }), address: removed.address };
  await recordAudit(tx, now, { businessId, actor, action: 'sender.removed', detail });
  return removed.address;
}
