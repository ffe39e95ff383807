import { recordAudit } from '../businesses/audit.ts';
import type { PaidChannel } from '../contract/channels.ts';
import type { Client } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { lockNumber } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { lockRecipient, waitForRecipient } from '../recipients/sql.ts';
import { stopChannel } from './stopChannel.ts';

/** `email` is normalised; `actor` is for the audit. */
interface ShopStop {
  businessId: string;
  email: string;
  channel: PaidChannel;
  actor: string;
}

/**
 * A stop that the shop records for a person, in the dashboard or at the command line. It is the firmest one: no text and no
 * choice in the inbox lifts it. `changed` is false if the shop had stopped the channel before. Null: the address is no recipient's.
 */
export async function stopForShop(
  tx: Client,
  { clock, hash }: { clock: Clock; hash: Hasher },
  { businessId, email, channel, actor }: ShopStop,
) {
  await waitForRecipient(tx, lockNumber('recipient', businessId, email));
  const [row] = await lockRecipient(tx, businessId, email);
  if (!row) return null;
  // After the locks, so that these rows are not dated before those of the transaction that held them.
  const now = clock.now();
  const person = { ...row, business_id: businessId, recipient_id: row.id };
  const stop = { channel, maker: 'dashboard', source: 'dashboard' } as const;
  const stopped = await stopChannel(tx, hash, person, stop, now);
  if (stopped.changed || stopped.cancelled > 0)
    await recordAudit(tx, now, {
      businessId,
      actor,
      action: 'recipient.stopped',
      recipient: { id: row.id, email },
      detail: { channel },
    });
  return { recipientId: row.id, ...stopped };
}
