import { isSupportedCountry } from 'libphonenumber-js/max';
import { partsOf, type Reading } from '../config/reading.ts';
import type { Route } from '../providers/inOrder.ts';
import type { ProviderSettings } from './providers.ts';
import { variables } from './variables.ts';

/** Whom texts to a country go to first, by country. `*`: every country that is not named. */
export type SmsRoutes = ReadonlyMap<string, Route>;

const EVERYWHERE = '*';
const SENDER = /^(\+[1-9]\d{6,14}|\d{3,8}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/i;

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
  if (sender !== null && !SENDER.test(sender))
    return 'whose sender is no number, short code, name of up to 11 letters and digits, or Messaging Service SID';
  return null;
}

export const routeTo = (routes: SmsRoutes, country: string | null): Route | null =>
  (country === null ? undefined : routes.get(country)) ?? routes.get(EVERYWHERE) ?? null;

/** The shared senders that texts to a country come from, unless whoever is asked first takes nothing. */
export function sharedSendersTo(
  country: string,
  { providerSettings: { sms }, smsRoutes }: { providerSettings: ProviderSettings; smsRoutes: SmsRoutes },
): string[] {
  const route = routeTo(smsRoutes, country);
  if (route !== null && route.sender !== null) return [route.sender];
  return sms
    .filter(({ provider }) => route === null || route.provider === provider)
    .map(({ sender }) => sender);
}
