import type { Settings } from '../businesses/settings.ts';
import type { Channel } from '../contract/channels.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { Language } from '../language/languages.ts';
import type { AnyOutbound, DkimSigner, Outbound, OutboundEmail } from '../providers/provider.ts';
import { emailNudge, headerText, type WrittenEmail } from './emailWording.tsx';
import type { ShownParcels } from './parcel.ts';
import { acknowledgement, forwardedReply, newLinkMail } from './serviceWording.tsx';
import { smsText } from './smsWording.ts';
import { whatsappTemplate } from './whatsappTemplate.ts';

/** The input of `compose`. */
export interface NudgeParts extends Omit<Outbound, 'to' | 'from'> {
  channel: Channel;
  purpose: string;
  email: string;
  phone: string | null;
  subject: string | null;
  /** The beginning of the message's text; null: the send is about none, or no email. */
  body: string | null;
  orderReference: string | null;
  orderStatus: string | null;
  /** What a mail shows of the order's parcels; a text and a WhatsApp message show none. */
  parcels?: ShownParcels | null;
  /** Whether the nudge announces an update of an existing message. */
  isUpdate: boolean;
  reply: string | null;
  /** The link to a forwarded reply; empty if there is none. */
  replyLink: string;
  settings: Pick<Settings, 'name' | 'contactEmail' | 'replyForward'> & Partial<Pick<Settings, 'colour'>>;
  /** The language of our words. */
  language: Language;
  /** The language of the WhatsApp template, which may not be approved in the other. */
  templateLanguage?: Language;
  /** Where a mail loads the shop's logo from; null: it has none. */
  logoUrl?: string | null;
  sender: string | null;
  /** The business's own senders with single providers, by their names. */
  providerSenders?: Readonly<Record<string, string>>;
  /** The key of the sender's domain, if mails from there are signed with one of its own. */
  dkim?: DkimSigner | null;
  /** The link into the inbox; empty if the send has none. */
  link: string;
  unsubscribeLink: string;
  /** The domain of the shared sender; in the sandbox, which has no sender, the service's host. */
  sharedDomain: string;
}

/** Composes the message for the provider. Throws if that is impossible; nothing has been sent then. */
export function compose(parts: NudgeParts): AnyOutbound {
  switch (parts.channel) {
    case 'email':
      return composeEmail(parts);
    case 'sms':
      return { ...outbound(parts, phoneOf(parts)), channel: 'sms', text: smsText(nudge(parts)) };
    case 'whatsapp':
      return { ...outbound(parts, phoneOf(parts)), channel: 'whatsapp', ...whatsappContent(parts) };
  }
}

function composeEmail(parts: NudgeParts): OutboundEmail {
  const { settings, link } = parts;
  const mail = (to: string, written: WrittenEmail, headers?: Record<string, string>): OutboundEmail => ({
    ...outbound(parts, to),
    channel: 'email',
    fromName: headerText(settings.name, FROM_NAME_LENGTH_MAX),
    dkim: parts.dkim ?? null,
    ...written,
    headers: { 'Message-ID': messageIdOf(parts), ...headers, 'Auto-Submitted': 'auto-generated' },
  });
  switch (parts.purpose) {
    case 'reply_forward':
      if (settings.contactEmail === null || parts.reply === null)
        throw new Error('there is no reply to forward');
      return mail(
        settings.contactEmail,
        forwardedReply({ ...parts, businessName: settings.name, body: parts.reply }),
      );
    case 'new_link':
      return mail(parts.email, newLinkMail(settings.name, link, parts.language));
    default:
      return mail(
        parts.email,
        emailNudge({
          ...nudge(parts),
          subject: parts.subject ?? '',
          body: parts.body ?? '',
          kind: parts.isUpdate ? 'update' : 'new',
          parcels: parts.parcels ?? null,
          unsubscribeLink: parts.unsubscribeLink,
          colour: settings.colour ?? null,
          logoUrl: parts.logoUrl ?? null,
        }),
        {
          'List-Unsubscribe': `<${parts.unsubscribeLink}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      );
  }
}

const FROM_NAME_LENGTH_MAX = 64;

/**
 * The same for every attempt, so that a mailbox that gets the mail twice shows it once. It uses the domain of the From
 * line: spam filters distrust a different one, and the service's host would be visible to every reader.
 */
const messageIdOf = ({ reference, sender, sharedDomain }: NudgeParts): string =>
  `<${reference}@${sender === null ? sharedDomain : domainOf(sender)}>`;

function whatsappContent(parts: NudgeParts) {
  if (parts.purpose === 'reply_ack')
    return { text: acknowledgement(parts.settings.name, parts.language), template: null };
  const filled = whatsappTemplate({ ...nudge(parts), language: parts.templateLanguage ?? parts.language });
  if (filled === null) throw new Error('no WhatsApp template fits this message');
  const { text, ...template } = filled;
  return { text, template };
}

const nudge = (parts: NudgeParts) => ({
  businessName: parts.settings.name,
  reference: parts.orderReference,
  orderStatus: parts.orderStatus,
  link: parts.link,
  language: parts.language,
});

function phoneOf({ phone }: NudgeParts): string {
  if (phone === null) throw new Error('the recipient has no phone number');
  return phone;
}

function outbound(parts: NudgeParts, to: string): Outbound {
  const { reference, attempt, businessId, sendId, messageId, recipientId, sender: from } = parts;
  const { providerSenders: fromAt = {} } = parts;
  return { reference, attempt, businessId, sendId, messageId, recipientId, to, from, fromAt };
}
