import type { PaidChannel } from '../contract/channels.ts';
import type { Client } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { parsePhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { businessesOf } from '../outbox/send.ts';
import { stopChannel } from '../outbox/stopChannel.ts';
import { senderForms } from '../providers/senders.ts';
import { waitForRecipient } from '../recipients/sql.ts';
import { numberLock, recordStart, type Stop, stopFreeNumber } from '../recipients/stops.ts';
import {
  type AudienceLists,
  deleteTextedStops,
  findHolders,
  findMessagingBusinesses,
  type HolderRow,
  lockHolder,
} from '../recipients/stopsSql.ts';
import { inboundCommand } from '../recipients/stopWords.ts';
import type { ReportDeps } from './reports.ts';
import { rememberReports } from './sql.ts';

/** The businesses that send from the number or account to which an inbound message was sent. */
export interface AddressedBusinesses {
  /** Businesses that have it as their own sender. */
  businessIds: readonly string[];
  /** The provider whose shared sender it is, for all businesses without their own there; null: it is no shared one. */
  sharedAt: string | null;
}

/** In the sandbox: addressed to a business's own sender; null: to the shared one. */
export const addressedTo = (businessId: string | null): AddressedBusinesses =>
  businessId === null
    ? { businessIds: [], sharedAt: 'sandbox' }
    : { businessIds: [businessId], sharedAt: null };

export interface InboundSms {
  from: string;
  body: string;
  audience: AddressedBusinesses;
  /** The provider's id, if any: a repeated one is ignored. */
  source: { provider: string; id: string } | null;
}

export type InboundDeps = Pick<ReportDeps, 'pool' | 'clock' | 'hash' | 'onEvents' | 'onSends'>;

/**
 * Handles STOP and START (interface 3.4). The text applies to every business that sends from the number it was sent to and
 * that has the person's number or has messaged it, since the person cannot know which of them wrote. Any other text is
 * dropped, and nothing of it is stored.
 */
export async function handleInboundSms(deps: InboundDeps, text: InboundSms): Promise<void> {
  const command = inboundCommand(text.body);
  const number = parsePhone(text.from)?.number;
  if (number === undefined || (command !== 'stop' && command !== 'start')) return;
  const apply = (tx: Client) => applyCommand(tx, deps, text, number, command);
  const deliveries = await transaction(deps.pool, apply, GROUP_TRANSACTION);
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
  const { locked, withoutHolder } = await lockHolders(tx, { number, numberHash }, 'sms', text.audience);
  const now = deps.clock.now();
  if (command === 'stop') await rememberStops(tx, withoutHolder, 'sms', numberHash, now);
  else await deleteTextedStops(tx, numberHash, ...audienceLists('sms', text.audience));
  if (command === 'stop') return stopAll(tx, deps.hash, locked, TEXTED_STOP, now);
  for (const holder of locked) await recordStart(tx, deps.hash, holder, 'text', now);
  return 0;
}

/** Returns the number of webhook deliveries queued. */
export async function stopAll(
  tx: Client,
  hash: Hasher,
  holders: readonly HolderRow[],
  stop: Stop,
  now: Date,
): Promise<number> {
  let deliveries = 0;
  for (const holder of holders) deliveries += (await stopChannel(tx, hash, holder, stop, now)).deliveries;
  return deliveries;
}

/** Stores stops for a number that no recipient of these businesses has; they apply to a recipient who gets it later. */
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
 * Locks the recipients of the addressed businesses who have this number, in order and before any other row. `withoutHolder`
 * are the other businesses that the text applies to: the named ones, those that have messaged the number, and those whose
 * recipient's number changed just now. No recipient can get the number until this transaction ends.
 */
export async function lockHolders(
  tx: Client,
  { number, numberHash }: { number: string; numberHash: Buffer },
  channel: 'sms' | 'whatsapp',
  audience: AddressedBusinesses,
): Promise<{ locked: HolderRow[]; withoutHolder: string[] }> {
  await waitForRecipient(tx, numberLock(number));
  const lists = audienceLists(channel, audience);
  const holders = await findHolders(tx, number, ...lists);
  const messaging = await findMessagingBusinesses(tx, numberHash, ...lists);
  const locked: HolderRow[] = [];
  for (const { business_id, recipient_id } of holders)
    locked.push(...(await lockHolder(tx, business_id, recipient_id, number)));
  const withoutHolder = new Set([...audience.businessIds, ...businessesOf([...holders, ...messaging])]);
  for (const { business_id } of locked) withoutHolder.delete(business_id);
  return { locked, withoutHolder: [...withoutHolder] };
}

function audienceLists(channel: PaidChannel, { businessIds, sharedAt }: AddressedBusinesses): AudienceLists {
  const forms = senderForms(channel, sharedAt === null ? [] : [sharedAt]);
  return [businessIds, sharedAt, channel, forms.map(({ pattern }) => pattern.source)];
}

/** Whether the message is not stored yet: providers can deliver one more than once. */
export const isNew = async (tx: Client, source: InboundSms['source'], now: Date): Promise<boolean> =>
  source === null || (await rememberReports(tx, [source.provider], [source.id], now)).length > 0;
