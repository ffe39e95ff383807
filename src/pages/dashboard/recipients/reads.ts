import type { Queryable } from '../../../db/statement.ts';
import { parseEmailAddress } from '../../../kit/emailAddress.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { maskPhone, parsePhone } from '../../../kit/phoneNumber.ts';
import type { Hasher } from '../../../kit/seal.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { isSuppressedForAll, listSuppressions } from '../../../recipients/stopsSql.ts';
import type { SuppressionReason } from '../../../recipients/suppressions.ts';
import { findRecipientByPhone, type ListedRecipient, listRecipients } from './sql.ts';

const cursors = pageCursors('customers');

export interface RecipientList {
  /** With masked numbers, newest first. */
  items: ListedRecipient[];
  next_cursor: string | null;
}

/** A cursor that is not ours begins with the newest. */
export async function readRecipients(
  db: Queryable,
  businessId: string,
  cursor: string | null,
  size: number,
): Promise<RecipientList> {
  const before = cursor === null ? null : cursors.idIn(cursor);
  // One extra row shows whether there is a next page.
  const rows = await listRecipients(db, businessId, before ?? AFTER_EVERY_ID, size + 1);
  const items = rows
    .slice(0, size)
    .map((row) => ({ ...row, phone: row.phone === null ? null : maskPhone(row.phone) }));
  const last = items.at(-1);
  return { items, next_cursor: rows.length > size && last ? cursors.at(last.id) : null };
}

/** The id of the customer with this address or this whole number, each by its index; null: none. */
export async function findCustomer(db: Queryable, businessId: string, typed: string): Promise<string | null> {
  const text = typed.trim();
  const email = parseEmailAddress(text);
  const phone = parsePhone(text);
  const [found] =
    email !== null
      ? await findRecipient(db, businessId, email)
      : phone !== null
        ? await findRecipientByPhone(db, businessId, phone.number)
        : [];
  return found?.id ?? null;
}

export interface SuppressionsOf {
  reasons: { reason: SuppressionReason; at: Date }[];
  /** The address bounced for some business: nobody mails it from the shared sending domain. */
  forAll: boolean;
}

/** More than there are reasons. */
const REASONS_MAX = 10;
const REASONS: readonly SuppressionReason[] = ['bounce', 'complaint', 'unsubscribe', 'operator'];

export async function suppressionsOf(
  db: Queryable,
  hash: Hasher,
  businessId: string,
  email: string,
): Promise<SuppressionsOf> {
  const emailHash = hash('email', email);
  const [rows, [platform]] = await Promise.all([
    listSuppressions(db, businessId, emailHash, REASONS_MAX),
    isSuppressedForAll(db, emailHash),
  ]);
  const reasons = rows.flatMap(({ reason: stored, at }) => {
    const reason = REASONS.find((known) => known === stored);
    return reason === undefined ? [] : [{ reason, at }];
  });
  return { reasons, forAll: platform?.suppressed ?? false };
}
