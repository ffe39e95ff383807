import type { PaidChannel } from '../contract/channels.ts';
import type { Client } from '../db/pool.ts';
import type { Hasher } from '../kit/seal.ts';
import { stopFreeNumber } from '../recipients/stops.ts';
import { type LockedSend, lockRecipientsOf, lockRecipientsToChange, lockSends } from './lockSql.ts';
import { keyArrays, keyText, type SendKey } from './send.ts';
import { findHoldersOfSends } from './sql.ts';
import { stopChannel } from './stopChannel.ts';

/** A send that its carrier or platform refused because the person had told it to. */
export interface CarrierStop {
  key: SendKey;
  /** The number it went to and how, where the provider says so: a number given since then has stopped nothing. */
  number: string | null;
  channel: PaidChannel | null;
}

/**
 * Locks sends with their people, for what a provider says of them. Whoever told the carrier to stop us is stopped here,
 * before any send is locked. Answers how many webhook deliveries that queued, too.
 */
export async function lockOrStop(
  tx: Client,
  hash: Hasher,
  sends: readonly SendKey[],
  stops: readonly CarrierStop[],
  now: Date,
): Promise<{ concerned: LockedSend[]; cancelled: number }> {
  const keys = keyArrays(sends);
  if (stops.length === 0) {
    const [, concerned] = await Promise.all([lockRecipientsOf(tx, ...keys), lockSends(tx, ...keys)]);
    return { concerned, cancelled: 0 };
  }
  await lockRecipientsToChange(tx, ...keys);
  const cancelled = await stopByCarrier(tx, hash, stops, now);
  return { concerned: await lockSends(tx, ...keys), cancelled };
}

/**
 * What a person told their carrier counts as if they had texted it to us: a stop for that business and number, and an
 * end to whatever still waits on that channel. Where the number was cleared, changed or erased since, the stop waits for
 * its return. To be called when the recipients are locked to be changed, and before any
 * send is locked. Answers how many webhook deliveries were queued.
 */
async function stopByCarrier(
  tx: Client,
  hash: Hasher,
  stops: readonly CarrierStop[],
  now: Date,
): Promise<number> {
  const numbers = new Map(stops.map(({ key, number }) => [keyText(key), number]));
  const holders = await findHoldersOfSends(tx, ...keyArrays(stops.map(({ key }) => key)));
  const told = new Set<string>();
  const stopped = new Set<string>();
  let deliveries = 0;
  for (const { send, channel, ...holder } of holders) {
    const number = numbers.get(keyText(send)) ?? null;
    const person = `${channel} ${holder.business_id} ${holder.recipient_id}`;
    if (number !== null && number !== holder.phone) continue;
    stopped.add(keyText(send));
    if (told.has(person)) continue;
    told.add(person);
    const stop = { channel, maker: 'text', source: channel === 'sms' ? 'text' : 'whatsapp' } as const;
    deliveries += (await stopChannel(tx, hash, holder, stop, now)).deliveries;
  }
  for (const { key, number, channel } of stops) {
    if (number === null || channel === null || stopped.has(keyText(key))) continue;
    await stopFreeNumber(tx, key.business_id, channel, hash('phone', number), now);
  }
  return deliveries;
}
