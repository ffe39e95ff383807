import { isSupportedCountry } from 'libphonenumber-js/max';
import { partsOf, type Reading } from '../config/reading.ts';
import type { Route } from '../providers/inOrder.ts';
import { formsInWords, isSenderOf, type OwnSenders, ownSenderAt, senderForms } from '../providers/senders.ts';
import { type ProviderSettings, SANDBOX } from './providers.ts';
import { variables } from './variables.ts';

/** Whom texts to a country go to first, by country. `*`: every country that is not named. */
export type SmsRoutes = ReadonlyMap<string, Route>;

const EVERYWHERE = '*';

/** Reads `EE=vonage,FI=twilio:Acme,*=twilio`: a provider of SMS_PROVIDER and, after a colon, the sender there. */
export function readSmsRoutes(reading: Reading, providers: readonly string[]): SmsRoutes {
  const routes = new Map<string, Route>();
  for (const part of partsOf(reading.text(variables.SMS_ROUTES))) {
    const [, country = '', provider = '', sender = null] = /^([^=]*)=([^:]*)(?::(.*))?$/.exec(part) ?? [];
    const fault = faultIn({ country, provider, sender }, providers) ?? (routes.has(country) ? TWICE : null);
    if (fault === null) routes.set(country, { provider, sender });
    else reading.mistake(`SMS_ROUTES holds "${part}", ${fault}.`);
  }
  return routes;
}

const TWICE = 'whose country has a route already';

function faultIn({ country, provider, sender }: Route & { country: string }, providers: readonly string[]) {
  if (country !== EVERYWHERE && !isSupportedCountry(country))
    return 'which does not begin with the code of a country, such as EE, or *, and =';
  if (!providers.includes(provider)) return 'whose provider is not in SMS_PROVIDER';
  const forms = senderForms('sms', [provider]);
  if (sender !== null && !isSenderOf(forms, sender)) return `whose sender is not ${formsInWords(forms)}`;
  return null;
}

export const routeTo = (routes: SmsRoutes, country: string | null): Route | null =>
  (country === null ? undefined : routes.get(country)) ?? routes.get(EVERYWHERE) ?? null;

/** The senders of a business's texts to a country: its own or the shared ones, of the providers that are asked first. */
export function smsSendersTo(
  country: string,
  own: OwnSenders,
  { providerSettings: { sms }, smsRoutes }: { providerSettings: ProviderSettings; smsRoutes: SmsRoutes },
): string[] {
  const route = routeTo(smsRoutes, country);
  const providers = sms.length === 0 ? [{ provider: SANDBOX, sender: null }] : sms;
  return providers
    .filter(({ provider }) => route === null || route.provider === provider)
    .flatMap(({ provider, sender }) => ownSenderAt(provider, 'sms', own) ?? route?.sender ?? sender ?? []);
}
