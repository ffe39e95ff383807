import {
  type PostmarkSettings,
  type ResendSettings,
  readPostmark,
  readResend,
  readSes,
  readSmtp,
  type SesSettings,
  type SmtpSettings,
} from './providersEmail.ts';
import {
  type MetaSettings,
  readMeta,
  readTwilioSms,
  readTwilioWhatsapp,
  type TwilioSmsSettings,
  type TwilioWhatsappSettings,
} from './providersPaid.ts';
import { type Environment, isLocalHost } from './reading.ts';

/** Who carries nudges. `sandbox` carries them nowhere. */
export const EMAIL_PROVIDERS = ['sandbox', 'smtp', 'ses', 'postmark', 'resend'] as const;
export const SMS_PROVIDERS = ['sandbox', 'twilio'] as const;
export const WHATSAPP_PROVIDERS = ['sandbox', 'meta', 'twilio'] as const;

export interface ProviderNames {
  email: (typeof EMAIL_PROVIDERS)[number];
  sms: (typeof SMS_PROVIDERS)[number];
  whatsapp: (typeof WHATSAPP_PROVIDERS)[number];
}

export interface Sandboxed {
  provider: 'sandbox';
}

export type EmailSettings = Sandboxed | SmtpSettings | SesSettings | PostmarkSettings | ResendSettings;
export type SmsSettings = Sandboxed | TwilioSmsSettings;
export type WhatsappSettings = Sandboxed | MetaSettings | TwilioWhatsappSettings;

export interface ProviderSettings {
  email: EmailSettings;
  sms: SmsSettings;
  whatsapp: WhatsappSettings;
}

/** Reads the variables of the chosen providers, and of no others. */
export function readProviderSettings(env: Environment, names: ProviderNames): ProviderSettings {
  return {
    email: readEmail(env, names.email),
    sms: names.sms === 'twilio' ? readTwilioSms(env) : SANDBOXED,
    whatsapp: readWhatsapp(env, names.whatsapp),
  };
}

const SANDBOXED: Sandboxed = { provider: 'sandbox' };

function readEmail(env: Environment, name: ProviderNames['email']): EmailSettings {
  switch (name) {
    case 'sandbox':
      return SANDBOXED;
    case 'smtp':
      return readSmtp(env);
    case 'ses':
      return readSes(env);
    case 'postmark':
      return readPostmark(env);
    case 'resend':
      return readResend(env);
  }
}

function readWhatsapp(env: Environment, name: ProviderNames['whatsapp']): WhatsappSettings {
  switch (name) {
    case 'sandbox':
      return SANDBOXED;
    case 'meta':
      return readMeta(env);
    case 'twilio':
      return readTwilioWhatsapp(env);
  }
}

/** What works, but surely not as it was meant. Shown at the start and in `/readyz`. */
export function settingsWarnings({ email, sms, whatsapp }: ProviderSettings, publicUrl: string): string[] {
  const warnings: string[] = [];
  const reported = [email, sms, whatsapp].filter(
    ({ provider }) => provider !== 'sandbox' && provider !== 'smtp',
  );
  if (reported.length > 0 && !isReachable(publicUrl)) {
    warnings.push(
      'PUBLIC_URL is not an https address on the internet: providers cannot send their reports there.',
    );
  }
  if (email.provider === 'smtp' && email.security === 'none' && !isLocalHost(email.host)) {
    warnings.push('SMTP_SECURITY is none: mails, with the links that sign people in, travel unencrypted.');
  }
  const unheard = unheardReports(email);
  if (unheard !== null) {
    warnings.push(`${unheard} is not set: no delivery, bounce or complaint reported by email is heard.`);
  }
  return warnings;
}

/** The variable without which the reports of an email provider are not taken. */
function unheardReports(email: EmailSettings): string | null {
  if (email.provider === 'ses' && email.topics.length === 0) return 'SES_SNS_TOPICS';
  if (email.provider === 'postmark' && email.webhook === null) return 'POSTMARK_WEBHOOK_PASSWORD';
  return email.provider === 'resend' && email.webhookSecret === null ? 'RESEND_WEBHOOK_SECRET' : null;
}

const isReachable = (publicUrl: string): boolean => {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !isLocalHost(hostname);
};
