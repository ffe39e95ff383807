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

/** The values of EMAIL_PROVIDER, SMS_PROVIDER and WHATSAPP_PROVIDER. `sandbox` sends nothing. */
export const EMAIL_PROVIDERS = ['sandbox', 'smtp', 'ses', 'postmark', 'resend'] as const;
export const SMS_PROVIDERS = ['sandbox', 'twilio'] as const;
export const WHATSAPP_PROVIDERS = ['sandbox', 'meta', 'twilio'] as const;

export interface ProviderNames {
  email: (typeof EMAIL_PROVIDERS)[number];
  sms: (typeof SMS_PROVIDERS)[number];
  whatsapp: (typeof WHATSAPP_PROVIDERS)[number];
}

interface Sandboxed {
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

/** Reads only the variables of the chosen providers. */
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

/** Settings that work but are probably mistakes. Shown at the start and in `/readyz`. */
export function settingsWarnings({ email, sms, whatsapp }: ProviderSettings, publicUrl: string): string[] {
  const warnings: string[] = [];
  const reported = [email, sms, whatsapp].filter(
    ({ provider }) => provider !== 'sandbox' && provider !== 'smtp',
  );
  if (reported.length > 0 && !isReachable(publicUrl)) {
    warnings.push(
      'PUBLIC_URL is not an https address on the internet: providers cannot send their callbacks there.',
    );
  }
  if (email.provider === 'smtp' && email.security === 'none' && !isLocalHost(email.host)) {
    warnings.push('SMTP_SECURITY is none: mails, with the links that sign people in, travel unencrypted.');
  }
  const missing = missingCallbackVariable(email);
  if (missing !== null) {
    warnings.push(
      `${missing} is not set: Waypost does not learn of deliveries, bounces and complaints of its emails.`,
    );
  }
  return warnings;
}

/** The variable that an email provider's callbacks need and that is not set. */
function missingCallbackVariable(email: EmailSettings): string | null {
  if (email.provider === 'ses' && email.topics.length === 0) return 'SES_SNS_TOPICS';
  if (email.provider === 'postmark' && email.webhook === null) return 'POSTMARK_WEBHOOK_PASSWORD';
  return email.provider === 'resend' && email.webhookSecret === null ? 'RESEND_WEBHOOK_SECRET' : null;
}

const isReachable = (publicUrl: string): boolean => {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !isLocalHost(hostname);
};
