import type { Queryable } from '../../../db/statement.ts';
import { ApiError } from '../../../kit/errors.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { maskPhone } from '../../../kit/phoneNumber.ts';
import type { Hasher } from '../../../kit/seal.ts';
import { listWithPlans } from '../../../messages/plans.ts';
import { isSuppressedForAll, listSuppressions } from '../../../recipients/stopsSql.ts';
import type { SuppressionReason } from '../../../recipients/suppressions.ts';
import { viewRecipient } from '../../../recipients/view.ts';
import { PAGE_SIZE, readListPage } from '../../kit/listPage.ts';
import type { DashboardContext } from '../context.ts';
import { findRecipientById } from '../messages/sql.ts';
import { listRecipients } from './sql.ts';

const cursors = pageCursors('customers');

/** With masked numbers. */
export const readRecipients = (db: Queryable, businessId: string, cursor: string | null, size = PAGE_SIZE) =>
  readListPage(cursors, cursor, size, async (before, limit) => {
    const rows = await listRecipients(db, businessId, before, limit);
    return rows.map((row) => ({ ...row, phone: row.phone === null ? null : maskPhone(row.phone) }));
  });

/** More than there are reasons. */
const REASONS_MAX = 10;
const REASONS: readonly SuppressionReason[] = ['bounce', 'complaint', 'unsubscribe', 'operator'];

export async function suppressionsOf(db: Queryable, hash: Hasher, businessId: string, email: string) {
  const emailHash = hash('email', email);
  const [rows, [platform]] = await Promise.all([
    listSuppressions(db, businessId, emailHash, REASONS_MAX),
    isSuppressedForAll(db, emailHash),
  ]);
  const reasons = rows.flatMap(({ reason: stored, at }) => {
    const reason = REASONS.find((known) => known === stored);
    return reason === undefined ? [] : [{ reason, at }];
  });
  /** `forAll`: the address bounced for some business, and nobody mails it from the shared sending domain. */
  return { reasons, forAll: platform?.suppressed ?? false };
}

const MESSAGES_SHOWN = 10;

/** A customer with their newest messages. */
export async function readRecipient({ pool, hash, clock }: DashboardContext, businessId: string, id: string) {
  const [found] = await findRecipientById(pool, businessId, id);
  if (!found) throw new ApiError('recipient.not_found');
  const { email } = found;
  const newest = { recipientEmail: email, limit: MESSAGES_SHOWN, before: null };
  const [recipient, suppressions, { items: messages }] = await Promise.all([
    viewRecipient(pool, hash, { businessId, email }),
    suppressionsOf(pool, hash, businessId, email),
    listWithPlans(pool, businessId, newest, clock.now()),
  ]);
  return { id, recipient, suppressions, messages };
}
export type ShownRecipient = Awaited<ReturnType<typeof readRecipient>>;
