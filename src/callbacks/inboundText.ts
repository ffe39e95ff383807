import type { Client, Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import type { Clock } from '../kit/clock.ts';
import { parsePhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { byKey } from '../outbox/byKey.ts';
import { callOff } from '../outbox/callOff.ts';
import { textedStart, textedStop } from '../recipients/stops.ts';
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
  const holders = await holdersOf(deps.pool, number, 'sms', text.audience);
  const deliveries = await byKey(deps.pool, async (tx) => {
    const now = deps.clock.now();
    if (!(await isNew(tx, text.source, now))) return 0;
    const locked = await lockHolders(tx, holders, number);
    for (const businessId of withoutHolder(text.audience, holders, locked)) {
      if (command === 'stop') await insertTextedStop(tx, businessId, 'sms', deps.hash('phone', number), now);
      else await deleteTextedStop(tx, businessId, deps.hash('phone', number));
    }
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

/** Whoever among them has this number. */
export const holdersOf = (
  db: Queryable,
  number: string,
  channel: 'sms' | 'whatsapp',
  { businessIds, shared }: Audience,
): Promise<HolderRow[]> => findHolders(db, number, businessIds, shared, channel);

/**
 * The businesses that were spoken to and where nobody has the number: they never knew it, or whoever had it was erased or
 * given another one while we looked. What was said is kept by number; should somebody be given it, it is in force.
 */
export function withoutHolder(
  { businessIds }: Audience,
  holders: readonly HolderRow[],
  locked: readonly HolderRow[],
): string[] {
  const held = new Set(locked.map(({ business_id }) => business_id));
  const spokenTo = new Set([...businessIds, ...holders.map(({ business_id }) => business_id)]);
  return [...spokenTo].filter((id) => !held.has(id)).sort();
}

/** All of them, in order, before anything else is locked. Whoever gave the number up meanwhile is not meant. */
export async function lockHolders(
  tx: Client,
  holders: readonly HolderRow[],
  number: string,
): Promise<HolderRow[]> {
  const locked: HolderRow[] = [];
  for (const { business_id, recipient_id } of holders) {
    locked.push(...(await lockHolder(tx, business_id, recipient_id, number)));
  }
  return locked;
}

/** Providers deliver more than once. */
export async function isNew(tx: Client, source: InboundText['source'], now: Date): Promise<boolean> {
  return source === null || (await rememberReports(tx, [source.provider], [source.id], now)).length > 0;
}
