import { logoUrlFor } from '../../../businesses/logo/logo.ts';
import type { Settings } from '../../../businesses/settings.ts';
import type { Channel } from '../../../contract/channels.ts';
import { HOUR, MINUTE } from '../../../kit/clock.ts';
import { type Language, languageFor } from '../../../language/languages.ts';
import { compose } from '../../../nudges/compose.ts';
import { deadLink } from '../../../nudges/deadLink.ts';
import { whatsappTemplate } from '../../../nudges/whatsappTemplate.ts';
import type { AnyOutbound } from '../../../providers/provider.ts';
import type { InboxPage } from '../../inbox/reading/reads.ts';
import { type InboxMessage, storiesOf } from '../../inbox/reading/story.ts';
import type { Session } from '../../inbox/session.ts';

/** What customers know a shop by. */
export type ShopBrand = Pick<
  Settings,
  'id' | 'name' | 'colour' | 'logo' | 'language' | 'supportEmail' | 'shopUrl'
>;

const EXAMPLE = {
  subject: 'Your parcel is on its way',
  body: 'Hello,\n\nyour parcel left us this morning, and should be with you tomorrow.',
  reference: '#1001',
  orderStatus: 'shipped',
} as const;

/** What a customer would get about an example order: the composing functions of real sends. */
export function previewNudges(brand: ShopBrand, publicUrl: string) {
  const link = deadLink(publicUrl);
  const language = languageFor(null, brand.language);
  const composed = (channel: Channel): AnyOutbound =>
    compose({
      reference: 'preview',
      attempt: 1,
      businessId: brand.id,
      sendId: 'preview',
      messageId: null,
      recipientId: 'preview',
      channel,
      purpose: 'nudge',
      email: 'customer@example.com',
      phone: '',
      subject: EXAMPLE.subject,
      body: EXAMPLE.body,
      orderReference: EXAMPLE.reference,
      orderStatus: EXAMPLE.orderStatus,
      isUpdate: false,
      reply: null,
      replyLink: '',
      settings: { name: brand.name, colour: brand.colour, contactEmail: null, replyForward: 'off' },
      language,
      logoUrl: logoUrlFor(publicUrl, brand),
      sender: null,
      link,
      unsubscribeLink: publicUrl,
      sharedDomain: 'localhost',
    });
  const [mail, sms] = [composed('email'), composed('sms')];
  if (mail.channel !== 'email') throw new TypeError('the composed mail is none');
  const canName = whatsappTemplate({ ...EXAMPLE, businessName: brand.name, link }) !== null;
  return {
    mail: { from: mail.fromName, subject: mail.subject, html: mail.html },
    text: sms.text,
    /** Null: no template can name this shop. */
    whatsapp: canName ? composed('whatsapp').text : null,
  };
}
export type NudgePreview = ReturnType<typeof previewNudges>;

/** The inbox of an example customer, for the inbox's own page. */
export function previewInbox(brand: ShopBrand, now: Date) {
  const confirmed = { ...EXAMPLE, subject: 'We have your order', orderStatus: 'confirmed' } as const;
  return inboxWith(brand, languageFor(null, brand.language), now, [
    { ago: 5 * MINUTE, ...EXAMPLE },
    { ago: 20 * HOUR, ...confirmed },
  ]);
}

type ExampleMessage = Pick<InboxMessage, 'subject' | 'body' | 'reference' | 'orderStatus'> & {
  /** In milliseconds. */
  ago: number;
};

/** An inbox with these messages, newest first; the newest is unfolded. */
export function inboxWith(
  brand: ShopBrand,
  language: Language,
  now: Date,
  examples: readonly ExampleMessage[],
) {
  const session: Session = {
    businessId: brand.id,
    id: 'preview',
    recipientId: 'preview',
    brand: { ...brand, logo: brand.logo === null ? null : `${brand.id}/${brand.logo}` },
    language,
    isLanguageChosen: true,
    unsubscribed: false,
    expired: false,
    formToken: '',
  };
  const messages = examples.map(({ ago, ...example }, place): InboxMessage => {
    const at = new Date(now.getTime() - ago);
    const unchanged = { createdAt: at, updatedAt: at, endedAt: null, replacedBy: null } as const;
    return { id: `preview${place}`, status: 'active', statusAt: at, ...unchanged, ...example };
  });
  const page: InboxPage = { pinned: null, stories: storiesOf(messages), older: null, first: true };
  return { session, page, shown: 'preview0', now };
}
