import { REFERENCE_MAX } from '../config/limits.ts';
import type { Queryable } from '../db/statement.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { readMessagePage } from '../messages/list.ts';
import { findRecipient } from '../recipients/sql.ts';
import { messageExists } from './messagesSql.ts';

/** What a search text names. A person is named by id, so that no address gets into a URL. */
export type Found =
  | { kind: 'message'; id: string }
  | { kind: 'recipient'; id: string }
  | { kind: 'reference'; reference: string }
  | { kind: 'nothing' };

/** Looks an address, a message's id or an order's reference up, each by its index. */
export async function findMessages(db: Queryable, businessId: string, typed: string): Promise<Found> {
  const text = typed.trim();
  const email = parseEmailAddress(text);
  if (email !== null) {
    const [recipient] = await findRecipient(db, businessId, email);
    if (recipient) return { kind: 'recipient', id: recipient.id };
  }
  const [message] = await messageExists(db, businessId, text);
  if (message) return { kind: 'message', id: message.id };
  for (const reference of referencesFor(text)) {
    const { rows } = await readMessagePage(db, businessId, { recipientEmail: null, reference }, null, 1);
    if (rows.length > 0) return { kind: 'reference', reference };
  }
  return { kind: 'nothing' };
}

/** People read an order's number out with or without its sign. */
export function referencesFor(text: string): string[] {
  const bare = text.replace(/^#/, '');
  return [...new Set([text, `#${bare}`, bare])].filter(
    (one) => one !== '' && one !== '#' && [...one].length <= REFERENCE_MAX,
  );
}
