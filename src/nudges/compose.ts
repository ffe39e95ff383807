import type { Settings } from '../businesses/settings.ts';
import type { Channel } from '../contract/channels.ts';
import { domainOf } from '../kit/emailAddress.ts';
import type { AnyOutbound, Outbound, OutboundEmail } from '../providers/provider.ts';
import { emailNudge, headerText } from './emailWording.tsx';
import { acknowledgement, forwardedReply, newLinkMail } from './serviceWording.tsx';
import { smsText } from './smsWording.ts';
import { whatsappTemplate } from './whatsappTemplate.ts';

/** Everything that a nudge is made of. */
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
  /** The message was rewritten in place, and this says so. */
  isUpdate: boolean;
  reply: string | null;
  /** To the reply that is forwarded; empty where there is none. */
  replyLink: string;
  settings: Pick<Settings, 'name' | 'contactEmail' | 'replyForward'>;
  sender: string | null;
  /** Into the inbox; empty where this carries none. */
  link: string;
  unsubscribeLink: string;
  /** Of the shared sender; the service's own host in the sandbox, which has no sender. */
  sharedDomain: string;
}

/** The message as its provider gets it. Throws when it cannot be written; then nothing was sent. */
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

function composeEmail(made: Ingredients): OutboundEmail {
  const { settings, link } = made;
  const mail = (
    to: string,
    { subject, text, html }: { subject: string; text: string; html: string },
    headers: Record<string, string> = AUTOMATIC,
  ): OutboundEmail => ({
    ...outbound(made, to),
    channel: 'email',
    fromName: headerText(settings.name, LONGEST_FROM_NAME),
    subject,
    text,
    html,
    headers: { 'Message-ID': messageIdOf(made), ...headers },
  });
  switch (made.purpose) {
    case 'reply_forward':
      if (settings.contactEmail === null || made.reply === null)
        throw new Error('there is no reply to forward');
      return mail(
        settings.contactEmail,
        forwardedReply({ ...made, businessName: settings.name, body: made.reply }),
      );
    case 'new_link':
      return mail(made.email, newLinkMail({ businessName: settings.name, link }));
    default:
      return mail(
        made.email,
        emailNudge({
          ...nudge(made),
          subject: made.subject ?? '',
          kind: made.isUpdate ? 'update' : 'new',
          unsubscribeLink: made.unsubscribeLink,
        }),
        {
          'List-Unsubscribe': `<${made.unsubscribeLink}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          ...AUTOMATIC,
        },
      );
  }
}

const LONGEST_FROM_NAME = 64;
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' } as const;

/**
 * The same on every attempt: a mailbox that got it twice after all shows it once. It ends in the domain of the From line: filters
 * distrust another, and it would tell every reader where the service runs.
 */
const messageIdOf = ({ reference, sender, sharedDomain }: Ingredients): string =>
  `<${reference}@${sender === null ? sharedDomain : domainOf(sender)}>`;

function whatsappContent(made: Ingredients) {
  if (made.purpose === 'reply_ack') return { text: acknowledgement(made.settings.name), template: null };
  const filled = whatsappTemplate(nudge(made));
  if (filled === null) throw new Error('no template has words for this message');
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
  if (phone === null) throw new Error('there is no number to send to');
  return phone;
}

const outbound = (made: Ingredients, to: string): Outbound => ({
  reference: made.reference,
  attempt: made.attempt,
  businessId: made.businessId,
  sendId: made.sendId,
  messageId: made.messageId,
  recipientId: made.recipientId,
  to,
  from: made.sender,
});
