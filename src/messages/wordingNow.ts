import { logoUrlFor } from '../businesses/logo/logo.ts';
import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import type { Hasher } from '../kit/seal.ts';
import { type Language, languageFor } from '../language/languages.ts';
import { compose } from '../nudges/compose.ts';
import { deadLink } from '../nudges/deadLink.ts';
import { whatsappTemplate } from '../nudges/whatsappTemplate.ts';
import { loadFacts } from '../outbox/facts.ts';
import { shipmentsOfMails } from '../outbox/shipmentsOfMails.ts';
import type { AnyOutbound } from '../providers/provider.ts';
import { type LockedMessage, type MessageKey, readUnlocked } from './lock.ts';

export interface WordingDeps {
  pool: Queryable;
  hash: Hasher;
  publicUrl: string;
}

/**
 * What a nudge about a message would say now, as a send composes it. It is for the shop's people: its links open nothing, so
 * that nobody reads or unsubscribes as the customer. Null: no such message, or no WhatsApp template fits it.
 */
export async function wordingNow(
  { pool, hash, publicUrl }: WordingDeps,
  { businessId, messageId }: MessageKey,
  channel: Channel,
  now: Date,
): Promise<{ outbound: AnyOutbound; language: Language } | null> {
  const message = await readUnlocked(pool, { businessId, messageId });
  if (!message) return null;
  const announced = { ...message, business_id: businessId, channel };
  const [facts, shipmentsOf] = await Promise.all([
    loadFacts(pool, hash, [announced], now),
    shipmentsOfMails(pool, [announced]),
  ]);
  const settings = facts.settings(announced);
  const language = languageFor(message.language, settings.language);
  const templateLanguage = facts.template(announced).language;
  const { reference: orderReference, order_status: orderStatus } = message;
  const link = deadLink(publicUrl);
  const template = { businessName: settings.name, reference: orderReference, orderStatus, link };
  if (channel === 'whatsapp' && whatsappTemplate({ ...template, language: templateLanguage }) === null)
    return null;
  const outbound = compose({
    reference: messageId,
    attempt: 1,
    businessId,
    sendId: messageId,
    messageId,
    recipientId: message.recipient_id,
    channel,
    purpose: 'nudge',
    email: message.email,
    phone: message.phone ?? '',
    subject: message.subject,
    body: message.body_start,
    orderReference,
    orderStatus,
    parcels: { shipments: shipmentsOf(announced), now },
    isUpdate: announcesUpdate(message),
    reply: null,
    replyLink: '',
    settings,
    language,
    templateLanguage,
    logoUrl: logoUrlFor(publicUrl, settings),
    sender: null,
    link,
    unsubscribeLink: publicUrl,
    sharedDomain: 'localhost',
  });
  return { outbound, language: channel === 'whatsapp' ? templateLanguage : language };
}

/** The last mail was about an update in place. */
function announcesUpdate({ sends, message_created_at: createdAt }: LockedMessage): boolean {
  const mail = sends.findLast(({ channel, purpose }) => channel === 'email' && purpose === 'nudge');
  return mail !== undefined && createdAt !== null && mail.created_at > createdAt;
}
