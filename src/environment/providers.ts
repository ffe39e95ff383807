import { isThisMachine } from '../config/publicUrl.ts';
import { isLocalHost, type Reading } from '../config/reading.ts';
import { emailReaders, smsReaders, whatsappReaders } from '../providers/readers.ts';
import { variables } from './variables.ts';

export type ProviderNames = ReturnType<typeof readProviderNames>;
export type ProviderSettings = ReturnType<typeof readProviderSettings>;

/** The providers of each channel, in the order in which they are asked. `sandbox` sends nothing, and stands alone. */
export function readProviderNames(reading: Reading) {
  return {
    email: aloneIfSandbox(reading, 'EMAIL_PROVIDER', reading.choices(variables.EMAIL_PROVIDER)),
    sms: aloneIfSandbox(reading, 'SMS_PROVIDER', reading.choices(variables.SMS_PROVIDER)),
    whatsapp: aloneIfSandbox(reading, 'WHATSAPP_PROVIDER', reading.choices(variables.WHATSAPP_PROVIDER)),
  };
}

function aloneIfSandbox<Name extends string>(reading: Reading, variable: string, names: readonly Name[]) {
  if (names.length > 1 && names.some((name) => name === SANDBOX))
    reading.mistake(`${variable} names sandbox beside another provider: the sandbox sends nothing.`);
  return names;
}

export const SANDBOX = 'sandbox';

/** Reads only the variables of the chosen providers; the sandbox has none. */
export const readProviderSettings = (reading: Reading, names: ProviderNames) => ({
  email: names.email.flatMap((name) => (name === SANDBOX ? [] : [emailReaders[name](reading)])),
  sms: names.sms.flatMap((name) => (name === SANDBOX ? [] : [smsReaders[name](reading)])),
  whatsapp: names.whatsapp.flatMap((name) => (name === SANDBOX ? [] : [whatsappReaders[name](reading)])),
});

/** Settings that work but are probably mistakes. Shown at the start and in `/readyz`. */
export function settingsWarnings({ email, sms, whatsapp }: ProviderSettings, publicUrl: string): string[] {
  const warnings: string[] = [];
  const reported = [...email.filter(({ provider }) => provider !== 'smtp'), ...sms, ...whatsapp];
  if (reported.length > 0 && !isReachable(publicUrl))
    warnings.push(
      'PUBLIC_URL is not an https address on the internet: providers cannot send their callbacks there.',
    );
  for (const one of email) {
    if (one.provider === 'smtp' && one.security === 'none' && !isLocalHost(one.host))
      warnings.push('SMTP_SECURITY is none: mails, with the links that sign people in, travel unencrypted.');
    if (one.reportsNeed !== null)
      warnings.push(
        `${one.reportsNeed} is not set: Waypost does not learn of deliveries, bounces and complaints of its emails.`,
      );
  }
  return warnings;
}

const isReachable = (publicUrl: string): boolean =>
  new URL(publicUrl).protocol === 'https:' && !isThisMachine(publicUrl);
