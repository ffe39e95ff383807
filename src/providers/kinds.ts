import { brevo } from './brevo/provider.ts';
import type { CallbackDeps, CallbackFormat } from './callbackFormat.ts';
import { httpEmail, httpSms, httpWhatsapp } from './http/provider.ts';
import type { ApiDeps } from './http.ts';
import type { ProviderDeps, ProviderKind } from './kind.ts';
import { mailgun } from './mailgun/provider.ts';
import { meta } from './meta/provider.ts';
import { postmark } from './postmark/provider.ts';
import type { AnyOutbound, OutboundEmail, OutboundText, OutboundWhatsapp } from './provider.ts';
import type { EmailSettings, SmsSettings, WhatsappSettings } from './readers.ts';
import { resend } from './resend/provider.ts';
import { sendgrid } from './sendgrid/provider.ts';
import { ses } from './ses/provider.ts';
import { smtp } from './smtp/provider.ts';
import { twilioSms, twilioWhatsapp } from './twilio/provider.ts';
import { vonage } from './vonage/provider.ts';

/** A provider with its settings. */
export type Configured<Message extends AnyOutbound> = ReturnType<typeof configured<Message, Common>>;

export function emailProvider(settings: EmailSettings): Configured<OutboundEmail> {
  switch (settings.provider) {
    case 'smtp':
      return configured(smtp, settings);
    case 'ses':
      return configured(ses, settings);
    case 'postmark':
      return configured(postmark, settings);
    case 'resend':
      return configured(resend, settings);
    case 'mailgun':
      return configured(mailgun, settings);
    case 'sendgrid':
      return configured(sendgrid, settings);
    case 'brevo':
      return configured(brevo, settings);
    case 'http':
      return configured(httpEmail, settings);
  }
}

export function smsProvider(settings: SmsSettings): Configured<OutboundText> {
  switch (settings.provider) {
    case 'twilio':
      return configured(twilioSms, settings);
    case 'vonage':
      return configured(vonage, settings);
    case 'http':
      return configured(httpSms, settings);
  }
}

export function whatsappProvider(settings: WhatsappSettings): Configured<OutboundWhatsapp> {
  switch (settings.provider) {
    case 'meta':
      return configured(meta, settings);
    case 'twilio':
      return configured(twilioWhatsapp, settings);
    case 'http':
      return configured(httpWhatsapp, settings);
  }
}

interface Common {
  provider: string;
  perSecond: number;
}

function configured<Message extends AnyOutbound, Settings extends Common>(
  kind: ProviderKind<Message, Settings>,
  settings: Settings,
) {
  const { provider: name, perSecond } = settings;
  return {
    name,
    perSecond,
    open: (deps: ProviderDeps) => kind.open(settings, deps),
    check: (deps: ApiDeps) => kind.check(settings, deps),
    callbacks: (deps: CallbackDeps): CallbackFormat | null => kind.callbacks?.(settings, deps) ?? null,
  };
}
