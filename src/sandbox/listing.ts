import type { Queryable } from '../db/statement.ts';
import type { Channel } from '../nudges/channels.ts';
import type { Captured } from './capture.ts';
import { listCapturedBefore } from './pageSql.ts';

/** Read at once; a mail is a few kilobytes. */
const PIECE = 500;

/** Everything that was captured, newest first, however much it is: read piece by piece, never all at once. */
export async function* everythingCaptured(
  db: Queryable,
  { channel, to }: { channel: Channel | null; to: string | null },
): AsyncGenerator<Captured> {
  let before: string | null = null;
  for (;;) {
    const rows = await listCapturedBefore(db, channel, to, before, PIECE);
    for (const { recipient, at, ...row } of rows) yield { ...row, to: recipient, at: at.toISOString() };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PIECE) return;
    before = last.id;
  }
}

/**
 * An address or number as it is stored. The plus of a number that stands unescaped in an address arrives as a space,
 * and what is all digits can be nothing else.
 */
export function recipientAsStored(text: string): string {
  const bare = text.trim();
  return /^\d+$/.test(bare) ? `+${bare}` : bare.toLowerCase();
}
