import { REFERENCE_MAX } from '../../../config/limits.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { catchUp } from '../../../orders/projector.ts';
import { findOrder } from '../../../orders/readsSql.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { findBySubject } from '../../../search/find.ts';
import { wordsOf } from '../../../search/words.ts';
import type { DashboardContext } from '../context.ts';
import { messagesPath, orderPath } from './filters.tsx';
import { sealWords } from './query.ts';
import { messageExists } from './sql.ts';

/**
 * Looks an address, a message's id, an order's reference or words of subjects up, each by its index: the path in the shop of what
 * was found; null: nothing. It names a person by id, so that no address gets into a URL.
 */
export async function findMessages(
  { pool, clock, sealer }: Pick<DashboardContext, 'pool' | 'clock' | 'sealer'>,
  businessId: string,
  typed: string,
): Promise<string | null> {
  const text = typed.trim();
  const email = parseEmailAddress(text);
  const [recipient] = email === null ? [] : await findRecipient(pool, businessId, email);
  if (recipient) return messagesPath({ recipient: recipient.id });
  const [message] = await messageExists(pool, businessId, text);
  if (message) return `/messages/${message.id}`;
  await catchUp({ pool, clock }, businessId);
  for (const reference of referencesFor(text)) {
    const [order] = await findOrder(pool, businessId, reference);
    if (order) return orderPath(reference);
  }
  const words = email === null ? wordsOf(text) : [];
  if (words.length === 0) return null;
  const everyId = { from: '', before: AFTER_EVERY_ID };
  const { ids, nextBefore } = await findBySubject(pool, businessId, words, everyId, 1);
  if (ids.length === 0 && nextBefore === null) return null;
  return messagesPath({ find: sealWords(sealer, businessId, words.join(' ')) });
}

/** People read an order's number out with or without its sign. */
export function referencesFor(text: string): string[] {
  const bare = text.replace(/^#/, '');
  return [...new Set([text, `#${bare}`, bare])].filter(
    (one) => one !== '' && one !== '#' && [...one].length <= REFERENCE_MAX,
  );
}
