import type { Settings } from '../businesses/settings.ts';
import type { Channel } from '../contract/channels.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { AnyOutbound, Outbound, OutboundEmail } from '../providers/provider.ts';
import { emailNudge, headerText } from './emailWording.tsx';
import { acknowledgement, forwardedReply, newLinkMail } from './serviceWording.tsx';
import { smsText } from './smsWording.ts';
import { whatsappTemplate } from './whatsappTemplate.ts';

/** The input of `compose`. */
export interface Ingredients {
  reference: string;
  attempt: number;
  businessId: string;
  sendId: string;
  messageId: string | null;
  recipientId: string;
  channel: Channel;
  purpose: string;
  email: string;
  phone: string | null;
  subject: string | null;
  orderReference: string | null;
  orderStatus: string | null;
  /** Whether the nudge announces an update of an existing message. */
  isUpdate: boolean;
  reply: string | null;
  /** The link to a forwarded reply; empty if there is none. */
  replyLink: string;
  settings: Pick<Settings, 'name' | 'contactEmail' | 'replyForward'>;
  sender: string | null;
  /** The link into the inbox; empty if the send has none. */
  link: string;
  unsubscribeLink: string;
  /** The domain of the shared sender; in the sandbox, which has no sender, the service's host. */
  sharedDomain: string;
}

/** Composes the message for the provider. Throws if that is impossible; nothing has been sent then. */
export function compose(ingredients: Ingredients): AnyOutbound {
  switch (ingredients.channel) {
    case 'email':
      return composeEmail(ingredients);
    case 'sms':
      return {
        ...outbound(ingredients, phoneOf(ingredients)),
        channel: 'sms',
        text: smsText(nudge(ingredients)),
      };
    case 'whatsapp':
      return {
        ...outbound(ingredients, phoneOf(ingredients)),
        channel: 'whatsapp',
        ...whatsappContent(ingredients),
      };
  }
}

function composeEmail(ingredients: Ingredients): OutboundEmail {
  const { settings, link } = ingredients;
  const mail = (
    to: string,
    { subject, text, html }: { subject: string; text: string; html: string },
    headers: Record<string, string> = AUTOMATIC,
  ): OutboundEmail => ({
    ...outbound(ingredients, to),
    channel: 'email',
    fromName: headerText(settings.name, LONGEST_FROM_NAME),
    subject,
    text,
    html,
    headers: { 'Message-ID': messageIdOf(ingredients), ...headers },
  });
  switch (ingredients.purpose) {
    case 'reply_forward':
      if (settings.contactEmail === null || ingredients.reply === null)
        throw new Error('there is no reply to forward');
      return mail(
        settings.contactEmail,
        forwardedReply({ ...ingredients, businessName: settings.name, body: ingredients.reply }),
      );
    case 'new_link':
      return mail(ingredients.email, newLinkMail({ businessName: settings.name, link }));
    default:
      return mail(
        ingredients.email,
        emailNudge({
          ...nudge(ingredients),
          subject: ingredients.subject ?? '',
          kind: ingredients.isUpdate ? 'update' : 'new',
          unsubscribeLink: ingredients.unsubscribeLink,
        }),
        {
          'List-Unsubscribe': `<${ingredients.unsubscribeLink}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          ...AUTOMATIC,
        },
      );
  }
}

const LONGEST_FROM_NAME = 64;
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' } as const;

/**
 * The same for every attempt, so that a mailbox that gets the mail twice shows it once. It uses the domain of the From
 * line: spam filters distrust a different one, and the service's host would be visible to every reader.
 */
const messageIdOf = ({ reference, sender, sharedDomain }: Ingredients): string =>
  `<${reference}@${sender === null ? sharedDomain : domainOf(sender)}>`;

function whatsappContent(ingredients: Ingredients) {
  if (ingredients.purpose === 'reply_ack')
    return { text: acknowledgement(ingredients.settings.name), template: null };
  const filled = whatsappTemplate(nudge(ingredients));
  if (filled === null) throw new Error('no WhatsApp template fits this message');
  const { text, ...template } = filled;
  return { text, template };
}

const nudge = ({ settings, orderReference, orderStatus, link }: Ingredients) => ({
  businessName: settings.name,
  reference: orderReference,
  orderStatus,
  link,
});

function phoneOf({ phone }: Ingredients): string {
  if (phone === null) throw new Error('the recipient has no phone number');
  return phone;
}

const outbound = (ingredients: Ingredients, to: string): Outbound => ({
  reference: ingredients.reference,
  attempt: ingredients.attempt,
  businessId: ingredients.businessId,
  sendId: ingredients.sendId,
  messageId: ingredients.messageId,
  recipientId: ingredients.recipientId,
  to,
  from: ingredients.sender,
});
