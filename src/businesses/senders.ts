import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { email, matching } from '../kit/typedValues.ts';
import { recordAudit } from './audit.ts';
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

/** Gives a business its own sender instead of the shared one. Call it in a transaction. */
export async function giveSender(
  tx: Queryable,
  now: Date,
  { businessId, channel, actor, address }: SenderChange & { address: string },
): Promise<void> {
  await setSender(tx, businessId, channel, address);
  await recordAudit(tx, now, { businessId, actor, action: 'sender.set', detail: { channel, address } });
}

/** Removes it again. Returns its address; null: the business had none. */
export async function takeSender(tx: Queryable, now: Date, { businessId, channel, actor }: SenderChange) {
  const [removed] = await removeSender(tx, businessId, channel);
  if (!removed) return null;
  const detail = { channel, address: removed.address };
  await recordAudit(tx, now, { businessId, actor, action: 'sender.removed', detail });
  return removed.address;
}
