import type { Channel } from '../contract/channels.ts';
import type { Client } from '../db/pool.ts';
import type { Hasher } from '../kit/seal.ts';
import { stopFreeNumber } from '../recipients/stops.ts';
import { type LockedSend, lockRecipientsOf, lockRecipientsToChange, lockSends } from './lockSql.ts';
import { keyArrays, keyText, type SendKey } from './send.ts';
import { findHoldersOfSends } from './sql.ts';
import { stopChannel } from './stopChannel.ts';

/** A send that a carrier or WhatsApp refused because the person opted out there. */
interface CarrierStop {
  key: SendKey;
  /** The number it went to, if known: the stop must not apply to a number that the person got since. */
  number: string | null;
  channel: Channel | null;
}

/**
 * Locks sends and their recipients before their outcomes are recorded. It applies `stops` between the two, because
 * recipients are locked before sends. `cancelled` counts the webhook deliveries that the stops queued.
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
 * Treats an opt-out at the carrier as a STOP text to us: it stops the number for the business and skips the sends that wait
 * on the channel. If the recipient no longer has the number, the stop is stored for the number alone and applies when it
 * comes back. Requires that the recipients are locked for change and no send is. Returns the webhook deliveries queued.
 */
async function stopByCarrier(tx: Client, hash: Hasher, stops: readonly CarrierStop[], now: Date) {
  const numbers = new Map(stops.map(({ key, number }) => [keyText(key), number]));
  const holders = await findHoldersOfSends(tx, ...keyArrays(stops.map(({ key }) => key)));
  const stoppedPeople = new Set<string>();
  const stopped = new Set<string>();
  let deliveries = 0;
  for (const { send, channel, ...holder } of holders) {
    const number = numbers.get(keyText(send)) ?? null;
    const person = `${channel} ${holder.business_id} ${holder.recipient_id}`;
    if (number !== null && number !== holder.phone) continue;
    stopped.add(keyText(send));
    if (stoppedPeople.has(person)) continue;
    stoppedPeople.add(person);
    const stop = { channel, maker: 'text', source: channel === 'sms' ? 'text' : 'whatsapp' } as const;
    deliveries += (await stopChannel(tx, hash, holder, stop, now)).deliveries;
  }
  for (const { key, number, channel } of stops) {
    if (number === null || channel === null || channel === 'email' || stopped.has(keyText(key))) continue;
    await stopFreeNumber(tx, key.business_id, channel, hash('phone', number), now);
  }
  return deliveries;
}
