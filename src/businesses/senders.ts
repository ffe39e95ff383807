import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { Sealer } from '../kit/seal.ts';
import { email, matching } from '../kit/typedValues.ts';
import { recordAudit } from './audit.ts';
import type { DkimKey } from './domains/records.ts';
import { insertDomain, removeDomain } from './domains/sql.ts';
import { removeSender, setSender } from './sql.ts';

/** The valid senders of a channel: WhatsApp needs a number with Twilio, a phone number id with Meta. */
export function senderOn(channel: Channel, { whatsapp }: { whatsapp: readonly string[] }) {
  switch (channel) {
    case 'email':
      return email;
    case 'sms':
      return matching(
        /^(\+[1-9]\d{6,14}|\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/i,
        'a number such as +37255550134, a short code, a name of up to 11 letters and digits, or a Messaging Service SID',
      );
    case 'whatsapp':
      return whatsapp.includes('meta')
        ? matching(/^\d{5,20}$/, 'the id of a phone number (digits, and not the number itself)')
        : matching(/^\+[1-9]\d{6,14}$/, 'a number such as +37255550134');
  }
}

interface SenderChange {
  businessId: string;
  channel: Channel;
  actor: string;
}

/**
 * Gives a business its own sender instead of the shared one, used as it is: whoever runs the mail server or the provider's account
 * vouches for it. Call it in a transaction.
 */
export async function giveSender(
  tx: Queryable,
  now: Date,
  { businessId, channel, actor, address }: SenderChange & { address: string },
): Promise<void> {
  await setSender(tx, businessId, channel, address);
  if (channel === 'email') await removeDomain(tx, businessId);
  await recordAudit(tx, now, { businessId, actor, action: 'sender.set', detail: { channel, address } });
}

/**
 * Gives a business its own sender of emails, used once its domain is verified: its mails are signed with a key of the domain's own.
 * A domain that the business has already keeps its key. Call it in a transaction.
 */
export async function addEmailSender(
  tx: Queryable,
  now: Date,
  sealer: Sealer,
  { businessId, actor, address, key }: Omit<SenderChange, 'channel'> & { address: string; key: DkimKey },
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
export async function takeSender(tx: Queryable, now: Date, { businessId, channel, actor }: SenderChange) {
  const [removed] = await removeSender(tx, businessId, channel);
  if (!removed) return null;
  if (channel === 'email') await removeDomain(tx, businessId);
  const detail = { channel, address: removed.address };
  await recordAudit(tx, now, { businessId, actor, action: 'sender.removed', detail });
  return removed.address;
}
