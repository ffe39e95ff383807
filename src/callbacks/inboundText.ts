import type { Client, Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { parsePhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { byKey } from '../outbox/byKey.ts';
import { callOff } from '../outbox/callOff.ts';
import { waitForRecipient } from '../recipients/phonesSql.ts';
import { numberLock, textedStart, textedStop } from '../recipients/stops.ts';
import {
  deleteTextedStop,
  findHolders,
  type HolderRow,
  insertTextedStop,
  lockHolder,
} from '../recipients/stopsSql.ts';
import { inboundCommand } from '../recipients/stopWords.ts';
import { rememberReports } from './reportsSql.ts';

/** Whom a text speaks to: the businesses that send from the number or account it was sent to. */
export interface Audience {
  /** Those whose own it is. */
  businessIds: readonly string[];
  /** It is the shared one: all those who have none of their own on that channel. */
  shared: boolean;
}

/** One business's own sender; null: the shared one. */
export const speakingTo = (businessId: string | null): Audience =>
  businessId === null ? { businessIds: [], shared: true } : { businessIds: [businessId], shared: false };

/** A text that somebody sent us. */
export interface InboundText {
  from: string;
  body: string;
  audience: Audience;
  /** The provider's name for it, when it has one: the same one is not heard twice. */
  source: { provider: string; id: string } | null;
}

export interface InboundDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  onEvents: () => void;
  onSends: () => void;
}

/**
 * STOP and START (interface 3.4). A text speaks to every business that texts from the number it was sent to and has the
 * number it came from: the person cannot know which of them texted. Anything else is nobody's business and is not kept.
 */
export async function hearText(deps: InboundDeps, text: InboundText): Promise<void> {
  const command = inboundCommand(text.body);
  const number = parsePhone(text.from)?.number;
  if (number === undefined || (command !== 'stop' && command !== 'start')) return;
  const deliveries = await byKey(deps.pool, async (tx) => {
    if (!(await isNew(tx, text.source, deps.clock.now()))) return 0;
    const { locked, strangers } = await lockHolders(tx, number, 'sms', text.audience);
    const now = deps.clock.now();
    await noteNumber(tx, deps.hash, number, strangers, command, now);
    let queued = 0;
    for (const holder of locked) {
      if (command === 'start') {
        await textedStart(tx, deps.hash, holder, now);
        continue;
      }
      await textedStop(tx, deps.hash, holder, now);
      const { business_id: businessId, recipient_id: recipientId } = holder;
      queued += (await callOff(tx, { businessId, recipientId, channels: ['sms'] }, 'stopped', now))
        .deliveries;
    }
    return queued;
  });
  if (deliveries > 0) deps.onEvents();
}

/** Nobody there has this number now; should somebody be given it, the stop is in force. */
async function noteNumber(
  tx: Client,
  hash: Hasher,
  number: string,
  businessIds: readonly string[],
  command: 'stop' | 'start',
  now: Date,
): Promise<void> {
  for (const businessId of businessIds) {
    if (command === 'stop') await insertTextedStop(tx, businessId, 'sms', hash('phone', number), now);
    else await deleteTextedStop(tx, businessId, hash('phone', number));
  }
}

/**
 * Whoever among them has this number, all of them locked, in order, before anything else; and those who were named, or
 * had given it to somebody, and know nobody with it now. Nobody is given it until this transaction ends.
 */
export async function lockHolders(
  tx: Client,
  number: string,
  channel: 'sms' | 'whatsapp',
  { businessIds, shared }: Audience,
): Promise<{ locked: HolderRow[]; strangers: string[] }> {
  await waitForRecipient(tx, numberLock(number));
  const holders = await findHolders(tx, number, businessIds, shared, channel);
  const locked: HolderRow[] = [];
  for (const { business_id, recipient_id } of holders) {
    locked.push(...(await lockHolder(tx, business_id, recipient_id, number)));
  }
  const meant = new Set([...businessIds, ...holders.map(({ business_id }) => business_id)]);
  for (const { business_id } of locked) meant.delete(business_id);
  return { locked, strangers: [...meant] };
}

/** Providers deliver more than once. */
export async function isNew(tx: Client, source: InboundText['source'], now: Date): Promise<boolean> {
  return source === null || (await rememberReports(tx, [source.provider], [source.id], now)).length > 0;
}
