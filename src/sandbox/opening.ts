import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { openMessage } from '../messages/open.ts';
import { findRecipientOf } from './sql.ts';

interface OpeningDeps {
  pool: Pool;
  clock: Clock;
  onEvents(): void;
}

/** The person opens a message in their inbox (`POST /sandbox/open`). False: there is no such message. */
export async function personOpens(
  { pool, clock, onEvents }: OpeningDeps,
  messageId: string,
): Promise<boolean> {
  const [found] = await findRecipientOf(pool, messageId);
  if (found === undefined) return false;
  const key = { businessId: found.business_id, recipientId: found.recipient_id, messageId };
  const { deliveries } = await transaction(pool, (tx) => openMessage(tx, key, clock.now()));
  if (deliveries > 0) onEvents();
  return true;
}
