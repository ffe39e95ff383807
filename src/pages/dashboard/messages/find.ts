import { REFERENCE_MAX } from '../../../config/limits.ts';
import type { Queryable } from '../../../db/statement.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { readMessagePage } from '../../../messages/list.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { findBySubject } from '../../../search/find.ts';
import { wordsOf } from '../../../search/words.ts';
import { messageExists } from './sql.ts';

/** What a search text names. A person is named by id, so that no address gets into a URL. */
export type Found =
  | { kind: 'message'; id: string }
  | { kind: 'recipient'; id: string }
  | { kind: 'reference'; reference: string }
  | { kind: 'words'; words: string[] }
  | { kind: 'nothing' };

/** Looks an address, a message's id, an order's reference or words of subjects up, each by its index. */
export async function findMessages(db: Queryable, businessId: string, typed: string): Promise<Found> {
  const text = typed.trim();
  const email = parseEmailAddress(text);
  const [recipient] = email === null ? [] : await findRecipient(db, businessId, email);
  if (recipient) return { kind: 'recipient', id: recipient.id };
  const [message] = await messageExists(db, businessId, text);
  if (message) return { kind: 'message', id: message.id };
  for (const reference of referencesFor(text)) {
    const newest = { recipientEmail: null, reference, limit: 1, before: null };
    const { rows } = await readMessagePage(db, businessId, newest);
    if (rows.length > 0) return { kind: 'reference', reference };
  }
  const words = email === null ? wordsOf(text) : [];
  if (words.length === 0) return { kind: 'nothing' };
  const { ids, nextBefore } = await findBySubject(db, businessId, words, EVERY_ID, 1);
  return ids.length > 0 || nextBefore !== null ? { kind: 'words', words } : { kind: 'nothing' };
}

const EVERY_ID = { from: '', before: AFTER_EVERY_ID };

/** People read an order's number out with or without its sign. */
export function referencesFor(text: string): string[] {
  const bare = text.replace(/^#/, '');
  return [...new Set([text, `#${bare}`, bare])].filter(
    (one) => one !== '' && one !== '#' && [...one].length <= REFERENCE_MAX,
  );
}
