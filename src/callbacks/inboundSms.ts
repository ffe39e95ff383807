import type { Client, Pool } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { parsePhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { stopChannel } from '../outbox/stopChannel.ts';
import { waitForRecipient } from '../recipients/sql.ts';
import { numberLock, recordStart, type Stop, stopFreeNumber } from '../recipients/stops.ts';
import {
  deleteTextedStops,
  findHolders,
  findMessagingBusinesses,
  type HolderRow,
  lockHolder,
} from '../recipients/stopsSql.ts';
import { inboundCommand } from '../recipients/stopWords.ts';
import { rememberReports } from './sql.ts';

/** Whom a text speaks to: the businesses that send from the number or account it was sent to. */
export interface AddressedBusinesses {
  /** Those whose own it is. */
  businessIds: readonly string[];
  /** It is the shared one: all those who have none of their own on that channel. */
  shared: boolean;
}

/** One business's own sender; null: the shared one. */
export const addressedTo = (businessId: string | null): AddressedBusinesses =>
  businessId === null ? { businessIds: [], shared: true } : { businessIds: [businessId], shared: false };

/** A text that somebody sent us. */
export interface InboundSms {
  from: string;
  body: string;
  audience: AddressedBusinesses;
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
 * STOP and START (interface 3.4). A text speaks to every business that texts from the number it was sent to and holds the
 * number it came from, or has messaged it: the person cannot know which of them texted. Anything else is nobody's
 * business and is not kept.
 */
export async function handleInboundSms(deps: InboundDeps, text: InboundSms): Promise<void> {
  const command = inboundCommand(text.body);
  const number = parsePhone(text.from)?.number;
  if (number === undefined || (command !== 'stop' && command !== 'start')) return;
  const deliveries = await transaction(
    deps.pool,
    (tx) => applyCommand(tx, deps, text, number, command),
    GROUP_TRANSACTION,
  );
  if (deliveries > 0) deps.onEvents();
}

const TEXTED_STOP: Stop = { channel: 'sms', maker: 'text', source: 'text' };

async function applyCommand(
  tx: Client,
  deps: InboundDeps,
  text: InboundSms,
  number: string,
  command: 'stop' | 'start',
): Promise<number> {
  if (!(await isNew(tx, text.source, deps.clock.now()))) return 0;
  const numberHash = deps.hash('phone', number);
  const { locked, strangers } = await lockHolders(tx, { number, numberHash }, 'sms', text.audience);
  const now = deps.clock.now();
  if (command === 'stop') await rememberStops(tx, strangers, 'sms', numberHash, now);
  else await deleteTextedStops(tx, numberHash, text.audience.businessIds, text.audience.shared, 'sms');
  let queued = 0;
  for (const holder of locked) {
    if (command === 'start') await recordStart(tx, deps.hash, holder, 'text', now);
    else queued += (await stopChannel(tx, deps.hash, holder, TEXTED_STOP, now)).deliveries;
  }
  return queued;
}

/** No recipient of these businesses holds the number now; a recipient who is given it later is stopped. */
export async function rememberStops(
  tx: Client,
  businessIds: readonly string[],
  channel: 'sms' | 'whatsapp',
  numberHash: Buffer,
  now: Date,
): Promise<void> {
  for (const businessId of businessIds) await stopFreeNumber(tx, businessId, channel, numberHash, now);
}

/**
 * The recipients of the audience who hold this number, all locked, in order, before anything else; and as `strangers` the
 * businesses that the text concerns although no recipient of theirs holds it: those that were named, that have messaged
 * the number, or whose recipient lost it just now. Nobody is given the number until this transaction ends.
 */
export async function lockHolders(
  tx: Client,
  { number, numberHash }: { number: string; numberHash: Buffer },
  channel: 'sms' | 'whatsapp',
  { businessIds, shared }: AddressedBusinesses,
): Promise<{ locked: HolderRow[]; strangers: string[] }> {
  await waitForRecipient(tx, numberLock(number));
  const holders = await findHolders(tx, number, businessIds, shared, channel);
  const messaging = await findMessagingBusinesses(tx, numberHash, businessIds, shared, channel);
  const locked: HolderRow[] = [];
  for (const { business_id, recipient_id } of holders) {
    locked.push(...(await lockHolder(tx, business_id, recipient_id, number)));
  }
  const meant = new Set([
    ...businessIds,
    ...[...holders, ...messaging].map(({ business_id }) => business_id),
  ]);
  for (const { business_id } of locked) meant.delete(business_id);
  return { locked, strangers: [...meant] };
}

/** Providers deliver more than once. */
export async function isNew(tx: Client, source: InboundSms['source'], now: Date): Promise<boolean> {
  return source === null || (await rememberReports(tx, [source.provider], [source.id], now)).length > 0;
}
