import type { Queryable } from '../../../db/statement.ts';
import { SECOND } from '../../../kit/clock.ts';
import { sha256 } from '../../../kit/ids.ts';
import { readOutboxReport } from '../../operator/outbox/reads.ts';

/** Every second it is counted no further than this. */
const MARKED_MAX = 1_000;
/** While something is late, so is the page: its lag grows though no number changes. */
const LATE_AGAIN_MS = 10 * SECOND;

/** What the operator's page of the outbox shows now, as a short text. */
export async function outboxMark(db: Queryable, now: Date): Promise<string> {
  const report = await readOutboxReport(db, now, MARKED_MAX);
  const isLate = report.sends.oldest !== null || report.deliveries.oldest !== null;
  const tick = isLate ? Math.floor(now.getTime() / LATE_AGAIN_MS) : 0;
  return sha256(JSON.stringify([report, tick])).toString('hex');
}
