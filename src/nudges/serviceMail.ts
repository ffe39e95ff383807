import type { Settings } from '../businesses/settings.ts';
import { type AccountFacts, type PersonFacts, whySuppressed } from './gates.ts';

export interface ServiceMail {
  purpose: string;
  /** The text of the WhatsApp reply; null after its erasure. */
  reply: string | null;
  settings: Pick<Settings, 'contactEmail' | 'replyForward' | 'replyAck'>;
  account: AccountFacts;
  person: PersonFacts;
  /** Whether the business has submitted a WhatsApp message to the person's current number. */
  messagedOnWhatsapp: boolean;
}

/** The first reason not to send service mail, or null. */
export function whyNoServiceMail(mail: ServiceMail): string | null {
  const { reply, settings, account, person } = mail;
  if (!account.active) return 'business_inactive';
  switch (mail.purpose) {
    case 'reply_forward':
      return reply === null || settings.contactEmail === null || settings.replyForward === 'off'
        ? 'not_needed'
        : null;
    case 'reply_ack':
      if (account.paused) return 'sending_paused';
      if (account.modes.whatsapp === 'off' || account.modes.whatsapp === 'not_enabled')
        return 'whatsapp_disabled';
      if (person.unsubscribed) return 'unsubscribed';
      if (person.country === null) return 'no_phone';
      if (person.stopped.whatsapp) return 'stopped';
      // The number may have changed since the reply, and the business may never have written to the new one.
      if (!person.whatsappOptedIn && !mail.messagedOnWhatsapp) return 'not_opted_in';
      return reply === null || settings.replyAck === 'off' ? 'not_needed' : null;
    default:
      // The person asked for a new link, so neither a pause nor an unsubscription stops it.
      return whySuppressed(account, person);
  }
}
