import { readPostmark, readResend, readSes, readSmtp } from './providersEmail.ts';
import { readMeta, readTwilioSms, readTwilioWhatsapp } from './providersPaid.ts';
import { isThisMachine } from './publicUrl.ts';
import { isLocalHost, type Reading } from './reading.ts';
import type { OptionOf } from './variables.ts';

/** `sandbox` sends nothing. */
export interface ProviderNames {
  email: OptionOf<'EMAIL_PROVIDER'>;
  sms: OptionOf<'SMS_PROVIDER'>;
  whatsapp: OptionOf<'WHATSAPP_PROVIDER'>;
}

export type ProviderSettings = ReturnType<typeof readProviderSettings>;
export type EmailSettings = ProviderSettings['email'];
export type SmsSettings = ProviderSettings['sms'];
export type WhatsappSettings = ProviderSettings['whatsapp'];

const sandboxed = () => ({ provider: 'sandbox' }) as const;

const EMAIL = {
  sandbox: sandboxed,
  smtp: readSmtp,
  ses: readSes,
  postmark: readPostmark,
  resend: readResend,
};
const SMS = { sandbox: sandboxed, twilio: readTwilioSms };
const WHATSAPP = { sandbox: sandboxed, meta: readMeta, twilio: readTwilioWhatsapp };

/** Reads only the variables of the chosen providers. */
export const readProviderSettings = (reading: Reading, names: ProviderNames) => ({
  email: EMAIL[names.email](reading),
  sms: SMS[names.sms](reading),
  whatsapp: WHATSAPP[names.whatsapp](reading),
});

/** Settings that work but are probably mistakes. Shown at the start and in `/readyz`. */
export function settingsWarnings({ email, sms, whatsapp }: ProviderSettings, publicUrl: string): string[] {
  const warnings: string[] = [];
  const reported = [email, sms, whatsapp].filter(
    ({ provider }) => provider !== 'sandbox' && provider !== 'smtp',
  );
  if (reported.length > 0 && !isReachable(publicUrl))
    warnings.push(
      'PUBLIC_URL is not an https address on the internet: providers cannot send their callbacks there.',
    );
  if (email.provider === 'smtp' && email.security === 'none' && !isLocalHost(email.host))
    warnings.push('SMTP_SECURITY is none: mails, with the links that sign people in, travel unencrypted.');
  const missing = missingCallbackVariable(email);
  if (missing !== null)
    warnings.push(
      `${missing} is not set: Waypost does not learn of deliveries, bounces and complaints of its emails.`,
    );
  return warnings;
}

/** The variable that an email provider's callbacks need and that is not set. */
function missingCallbackVariable(email: EmailSettings): string | null {
  if (email.provider === 'ses' && email.topics.length === 0) return 'SES_SNS_TOPICS';
  if (email.provider === 'postmark' && email.webhook === null) return 'POSTMARK_WEBHOOK_PASSWORD';
  return email.provider === 'resend' && email.webhookSecret === null ? 'RESEND_WEBHOOK_SECRET' : null;
}

const isReachable = (publicUrl: string): boolean =>
  new URL(publicUrl).protocol === 'https:' && !isThisMachine(publicUrl);
