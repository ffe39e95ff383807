import type { Pool } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import { transaction } from '../../../db/transaction.ts';
import { earlier, HOUR } from '../../../kit/clock.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { newId, sha256 } from '../../../kit/ids.ts';
import { languageFor } from '../../../language/languages.ts';
import { openMessage } from '../../../messages/open.ts';
import { queueNewLinkMail } from '../../../outbox/sendsSql.ts';
import { startInboxSession } from '../session.ts';
import {
  countNewLinksSince,
  findLink,
  lockInboxPerson,
  lockRecipientByEmail,
  recordLinkFetched,
  recordMessageFetched,
} from '../sql.ts';

type Link = NonNullable<Awaited<ReturnType<typeof linkOf>>>;

const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** The token's link into one person's inbox with one business, usually to one message: expired or not; null when it never existed or was erased. */
export async function linkOf(db: Queryable, token: string, now: Date) {
  if (!TOKEN.test(token)) return null;
  const [row] = await findLink(db, sha256(token));
  if (!row) return null;
  const language = languageFor(row.language, row.business_language);
  return { ...row, language, expired: row.expiresAt <= now };
}

/**
 * Records that the link's page was fetched, by a person or by a mail scanner. Fetched is not opened, and changes nothing
 * else.
 */
export async function recordFetched(db: Queryable, link: Link, now: Date): Promise<void> {
  const [first] = await recordLinkFetched(db, link.businessId, link.sendId, now);
  if (first?.message_id) await recordMessageFetched(db, link.businessId, first.message_id, now);
}

/**
 * Starts a session for the link's person and opens the link's message; `deliveries` is how many webhook deliveries were queued.
 * Null when the person was erased.
 */
export async function signInByLink(pool: Pool, link: Link, now: Date) {
  return transaction(pool, async (tx) => {
    const { businessId, recipientId, messageId } = link;
    // Exclusive, since the person's sessions are counted. An erasure since `linkOf` leaves no row.
    const [person] = await lockInboxPerson(tx, businessId, recipientId);
    if (!person) return null;
    const { deliveries } =
      messageId === null ? { deliveries: 0 } : await openMessage(tx, { ...link, messageId }, now);
    return { sessionToken: await startInboxSession(tx, link, now), messageId, deliveries };
  });
}

/** The limit per address, for all clients together. The database counts, so that it holds across processes. */
const NEW_LINKS_AN_HOUR = 3;

/**
 * Mails a new link if the address belongs to a recipient of this business. Returns whether a mail was queued; the page
 * must not show that, or it would reveal who is a recipient.
 */
export async function mailNewLink(pool: Pool, businessId: string, address: string, now: Date) {
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
