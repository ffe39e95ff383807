import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { newId } from '../kit/ids.ts';
import { countNewLinksSince, lockRecipientByEmail, queueNewLinkMail } from './newLinkSql.ts';

/** Mails one address gets at most, whoever asks for them. Kept in the database: it must hold across processes. */
export const NEW_LINKS_AN_HOUR = 3;

/**
 * Mails a new link to a person of this business, if the address is one's; whoever asked learns nothing from it.
 * Answers whether a mail was queued.
 */
export async function mailNewLink(
  pool: Pool,
  businessId: string,
  address: string,
  now: Date,
): Promise<boolean> {
  const email = parseEmailAddress(address);
  if (email === null) return false;
  return transaction(pool, async (tx) => {
    const [recipient] = await lockRecipientByEmail(tx, businessId, email);
    if (!recipient) return false;
    const [sent] = await countNewLinksSince(tx, businessId, recipient.id, earlier(now, HOUR));
    if (sent && sent.count >= NEW_LINKS_AN_HOUR) return false;
    await queueNewLinkMail(tx, businessId, newId(now), recipient.id, now);
    return true;
  });
}
