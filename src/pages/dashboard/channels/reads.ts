import { listPrices, listSenders, readAccount } from '../../../businesses/sql.ts';
import { DEFAULT_PRICE } from '../../../config/limits.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import { ORDER_STATUSES } from '../../../contract/orderStatuses.ts';
import type { Queryable } from '../../../db/statement.ts';
import { DEFAULT_LANGUAGE, languageFor } from '../../../language/languages.ts';
import { countryAllowed } from '../../../nudges/gates.ts';
import { readReviewStates } from '../../../templates/templates.ts';
import { readShopSettings } from '../settings/actions.ts';

/** What a paid channel needs before it sends, and what it costs then. */
export async function readChannelSetup(db: Queryable, businessId: string, channel: PaidChannel) {
  const [settings, senders, templates, prices, [account]] = await Promise.all([
    readShopSettings(db, businessId),
    listSenders(db, businessId),
    readReviewStates(db, DEFAULT_LANGUAGE),
    listPrices(db),
    readAccount(db, businessId),
  ]);
  const language = languageFor(null, settings.language);
  const own = language === DEFAULT_LANGUAGE ? templates : await readReviewStates(db, language);
  const missing = ORDER_STATUSES.filter((status) => own.get(status) !== 'approved');
  const priceOf = (country: string): number =>
    prices.find((price) => price.country === country)?.credits ?? DEFAULT_PRICE;
  // The shop's countries, else those with a price of their own.
  const countries = settings.countries ?? prices.map(({ country }) => country);
  return {
    settings,
    /** The shop's own; where it has none, it uses the shared one. */
    senders: senders.filter((one) => one.channel === channel),
    /** Order statuses whose WhatsApp template is not approved yet, neither in the shop's language nor in English. */
    inReview: missing.filter((status) => templates.get(status) !== 'approved'),
    /** Those that are approved in English only, though the shop's language is another. */
    inEnglish: missing.filter((status) => templates.get(status) === 'approved'),
    prices: countries
      .filter((country) => countryAllowed(settings, channel, country))
      .map((country) => ({ country, credits: priceOf(country) })),
    spendable: (account?.balance ?? 0) - (account?.reserved ?? 0),
  };
}
export type ChannelSetup = Awaited<ReturnType<typeof readChannelSetup>>;
