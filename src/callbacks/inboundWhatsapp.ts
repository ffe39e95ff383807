import { readSettings } from '../businesses/sql.ts';
import type { Client } from '../db/pool.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { HOUR, later } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { maskPhone, parsePhone } from '../kit/phoneNumber.ts';
import { queueAcknowledgement } from '../outbox/acknowledgement.ts';
import { businessesOf } from '../outbox/send.ts';
import { queueServiceSend } from '../outbox/sendsSql.ts';
import { latestSubmitter, ownReply } from '../recipients/replies.ts';
import { insertReply, lastSubmitted, openReplyWindow } from '../recipients/sql.ts';
import { deleteUnreachable, type HolderRow } from '../recipients/stopsSql.ts';
import { inboundCommand } from '../recipients/stopWords.ts';
import { recordEvents } from '../webhooks/events.ts';
import {
  type AddressedBusinesses,
  type InboundDeps,
  type InboundSms,
  isNew,
  lockHolders,
  rememberStops,
  stopAll,
} from './inboundSms.ts';

/** Per number and business, replies are acknowledged at most once in this time. */
const ACKNOWLEDGE_EVERY_MS = 24 * HOUR;
const REPLY_LENGTH_MAX = 10_000;
const STOP_IN_CHAT = { channel: 'whatsapp', maker: 'text', source: 'whatsapp' } as const;

/**
 * Handles an inbound WhatsApp message. STOP stops the channel. Every message is stored as a reply to the business that wrote
 * to the number last, reported as an event, forwarded according to the business's setting, and acknowledged once a day. A
 * message is dropped if no business has the number and has written to it; an exception is a message to a business's own
 * sender from a person who has opted in.
 */
export async function handleInboundWhatsapp(deps: InboundDeps, reply: InboundSms): Promise<void> {
  const number = parsePhone(reply.from)?.number;
  if (number === undefined) return;
  const apply = (tx: Client) => applyReply(tx, deps, reply, number);
  const written = await transaction(deps.pool, apply, GROUP_TRANSACTION);
  if (written === null) return;
  if (written.deliveries > 0) deps.onEvents();
  if (written.queued) deps.onSends();
}

async function applyReply(tx: Client, deps: InboundDeps, reply: InboundSms, number: string) {
  if (!(await isNew(tx, reply.source, deps.clock.now()))) return null;
  const numberHash = deps.hash('phone', number);
  const { locked, withoutHolder } = await lockHolders(tx, { number, numberHash }, 'whatsapp', reply.audience);
  const now = deps.clock.now();
  const stops = inboundCommand(reply.body) === 'stop';
  if (stops) await rememberStops(tx, withoutHolder, 'whatsapp', numberHash, now);
  if (locked.length === 0) return null;
  // A number that writes to us on WhatsApp is on WhatsApp.
  await deleteUnreachable(tx, businessesOf(locked), numberHash);
  const stopped = stops ? await stopAll(tx, deps.hash, locked, STOP_IN_CHAT, now) : 0;
  const to = await addressee(tx, locked, numberHash, reply.audience);
  if (to === null) return { deliveries: stopped, queued: false };
  const kept = await keepReply(tx, deps, to, reply, stops, now);
  return { deliveries: stopped + kept.deliveries, queued: kept.queued };
}

interface Addressee {
  holder: HolderRow;
  messageId: string | null;
}

/** Many businesses use the shared account: the reply goes to the one that wrote to this number last. */
async function addressee(
  tx: Client,
  holders: readonly HolderRow[],
  numberHash: Buffer,
  { businessIds, sharedAt }: AddressedBusinesses,
): Promise<Addressee | null> {
  const candidates: (Addressee & { submittedAt: Date | null; consents: boolean })[] = [];
  for (const holder of holders) {
    const [last] = await lastSubmitted(tx, holder.business_id, holder.recipient_id, numberHash);
    candidates.push({
      holder,
      messageId: last?.message_id ?? null,
      submittedAt: last?.submitted_at ?? null,
      consents: holder.whatsapp_status === 'active',
    });
  }
  return sharedAt === null && businessIds.length === 1 ? ownReply(candidates) : latestSubmitter(candidates);
}

async function keepReply(
  tx: Client,
  { hash }: InboundDeps,
  { holder, messageId }: Addressee,
  reply: InboundSms,
  stops: boolean,
  now: Date,
): Promise<{ deliveries: number; queued: boolean }> {
  const { business_id: businessId, recipient_id: recipientId, email, phone } = holder;
  const id = newId(now);
  const body = storable(reply.body);
  await insertReply(tx, businessId, id, recipientId, messageId, body, reply.source?.id ?? null, now);
  const data = {
    message_id: messageId,
    recipient_email: email,
    recipient_phone: maskPhone(phone),
    body,
    received_at: now.toISOString(),
  };
  const event = { type: 'whatsapp.inbound_message', businessId, messageId, recipientId, data } as const;
  const deliveries = await recordEvents(tx, [event], now);
  // A person who says STOP gets no further message, not even an acknowledgement.
  if (stops) return { deliveries, queued: false };
  const [settings] = await readSettings(tx, [businessId]);
  const forwards =
    settings !== undefined && settings.replyForward !== 'off' && settings.contactEmail !== null;
  if (forwards)
    await queueServiceSend(tx, businessId, newId(now, 0), recipientId, id, 'email', 'reply_forward', 0, now);
  if (settings?.replyAck !== 'on') return { deliveries, queued: forwards };
  const until = later(now, ACKNOWLEDGE_EVERY_MS);
  const window = await openReplyWindow(tx, businessId, hash('phone', phone), until, now);
  const acknowledged = window.length > 0 && (await queueAcknowledgement(tx, settings, recipientId, id, now));
  return { deliveries, queued: forwards || acknowledged };
}

/** Postgres cannot store NUL, and half a surrogate pair is not a valid character. */
const storable = (text: string): string =>
  text
    .slice(0, REPLY_LENGTH_MAX)
    .replaceAll('\u0000', '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
