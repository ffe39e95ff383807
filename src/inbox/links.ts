import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { newId, sha256 } from '../kit/ids.ts';
import { openMessage } from '../messages/open.ts';
import { queueNewLinkMail } from '../outbox/sendsSql.ts';
import { startSession } from './session.ts';
import {
  countNewLinksSince,
  findLink,
  type LinkRow,
  lockInboxPerson,
  lockRecipientByEmail,
  recordLinkFetched,
  recordMessageFetched,
} from './sql.ts';

/** A link that leads into one person's inbox with one business, and usually to one message there. */
export interface Link {
  businessId: string;
  /** The send that carries it, and by which it is known. */
  sendId: string;
  recipientId: string;
  messageId: string | null;
  businessName: string;
  colour: string | null;
  expired: boolean;
}

const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** The link a token stands for, expired or not; null when we never made it, or an erasure ended it. */
export async function linkOf(db: Queryable, token: string, now: Date): Promise<Link | null> {
  if (!TOKEN.test(token)) return null;
  const [row] = await findLink(db, sha256(token));
  return row ? asLink(row, now) : null;
}

/**
 * Somebody asked for the page behind the link: a person, or a scanner on the way of the mail. It is written down
 * apart from opening, and changes nothing else.
 */
export async function recordFetched(db: Queryable, link: Link, now: Date): Promise<void> {
  const [first] = await recordLinkFetched(db, link.businessId, link.sendId, now);
  if (first?.message_id) await recordMessageFetched(db, link.businessId, first.message_id, now);
}

export interface InboxSignIn {
  sessionToken: string;
  messageId: string | null;
  /** Webhook deliveries that now wait to be made. */
  deliveries: number;
}

/** A person came through the link: a fresh session, and the message it led to is opened. Null when it leads nowhere any more. */
export async function signInByLink(pool: Pool, link: Link, now: Date): Promise<InboxSignIn | null> {
  return transaction(pool, async (tx) => {
    const { businessId, recipientId, messageId } = link;
    // Exclusive, since their sessions are counted; nobody is found when they were erased after the link was.
    const [person] = await lockInboxPerson(tx, businessId, recipientId);
    if (!person) return null;
    const { deliveries } =
      messageId === null ? { deliveries: 0 } : await openMessage(tx, { ...link, messageId }, now);
    return { sessionToken: await startSession(tx, link, now), messageId, deliveries };
  });
}

const asLink = (row: LinkRow, now: Date): Link => ({
  businessId: row.business_id,
  sendId: row.send_id,
  recipientId: row.recipient_id,
  messageId: row.message_id,
  businessName: row.business_name,
  colour: row.colour,
  expired: row.expires_at <= now,
});

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
