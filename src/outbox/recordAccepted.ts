import type { Pool } from '../db/pool.ts';
import { lockRecipients } from './lockSql.ts';
import { attemptRow, type EndedAttempt } from './record.ts';
import { acceptEmails } from './recordSql.ts';
import { retryOnConflictPipelined } from './retryOnConflict.ts';
import { byId, keyText, recipientKeys } from './send.ts';

/**
 * Writes down the attempts that most are: emails that were taken, and from which nothing follows. One round trip, since
 * nothing has to be looked at before it is written. Answers the others, which are for `record`.
 */
export async function recordAccepted(pool: Pool, attempts: readonly EndedAttempt[]): Promise<EndedAttempt[]> {
  const taken = attempts.filter(isEmailTaken).sort(byId);
  if (taken.length === 0) return [...attempts];
  const rows = JSON.stringify(taken.map(attemptRow));
  const accepted = await retryOnConflictPipelined(pool, async (tx) => ({
    async finalWrites() {
      // The people first, as everywhere: an erasure comes wholly before or wholly after.
      const [, done] = await Promise.all([
        lockRecipients(tx, ...recipientKeys(taken)),
        acceptEmails(tx, rows),
      ]);
      return done;
    },
  }));
  const done = new Set(accepted.map(keyText));
  return attempts.filter((attempt) => !done.has(keyText(attempt)));
}

/** Only what goes to no number is an email. */
const isEmailTaken = ({ answer, number }: EndedAttempt): boolean =>
  answer.outcome === 'accepted' && number === null;
