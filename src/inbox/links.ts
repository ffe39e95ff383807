import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { sha256 } from '../kit/ids.ts';
import { openMessage } from '../messages/open.ts';
import { lockPerson } from './choicesSql.ts';
import { findLink, type LinkRow, recordLinkFetched, recordMessageFetched } from './linksSql.ts';
import { startSession } from './session.ts';

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

export interface Arrival {
  sessionToken: string;
  messageId: string | null;
  /** Webhook deliveries that now wait to be made. */
  deliveries: number;
}

/** A person came through the link: a fresh session, and the message it led to is opened. Null when it leads nowhere any more. */
export async function arrive(pool: Pool, link: Link, now: Date): Promise<Arrival | null> {
  return transaction(pool, async (tx) => {
    const { businessId, recipientId, messageId } = link;
    // Exclusive, since their sessions are counted; nobody is found when they were erased after the link was.
    const [person] = await lockPerson(tx, businessId, recipientId);
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
