import type { Settings } from '../../../businesses/settings.ts';
import { listPrices, listSenders, readAccount, readSettings } from '../../../businesses/sql.ts';
import { DEFAULT_PRICE } from '../../../config/limits.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import type { Queryable } from '../../../db/statement.ts';
import { DEFAULT_LANGUAGE, languageFor } from '../../../language/languages.ts';
import { countryAllowed } from '../../../nudges/gates.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../nudges/orderStatus.ts';
import { readReviewStates } from '../../../templates/templates.ts';

/** What a paid channel needs before it sends, and what it costs then. */
export interface ChannelSetup {
  settings: Settings;
  /** The shop's own sender; null: it uses the shared one. */
  sender: string | null;
  /** Order statuses whose WhatsApp template is not approved yet, neither in the shop's language nor in English. */
  inReview: OrderStatus[];
  /** Those that are approved in English only, though the shop's language is another. */
  inEnglish: OrderStatus[];
  /** Of the countries that messages may go to: those in the shop's list, else those with a price of their own. */
  prices: { country: string; credits: number }[];
  /** What every other country costs. */
  otherwise: number;
  /** Credits left to spend. */
  spendable: number;
}

export async function readChannelSetup(
  db: Queryable,
  businessId: string,
  channel: PaidChannel,
): Promise<ChannelSetup | null> {
  const [[settings], senders, templates, prices, [account]] = await Promise.all([
    readSettings(db, [businessId]),
    listSenders(db, businessId),
    readReviewStates(db, DEFAULT_LANGUAGE),
    listPrices(db),
    readAccount(db, businessId),
  ]);
  if (!settings) return null;
  const language = languageFor(null, settings.language);
  const own = language === DEFAULT_LANGUAGE ? templates : await readReviewStates(db, language);
  const missing = ORDER_STATUSES.filter((status) => own.get(status) !== 'approved');
  return {
    settings,
    sender: senders.find((one) => one.channel === channel)?.address ?? null,
    inReview: missing.filter((status) => templates.get(status) !== 'approved'),
    inEnglish: missing.filter((status) => templates.get(status) === 'approved'),
    prices: (settings.countries === null
      ? prices
      : settings.countries.map((country) => ({
          country,
          credits: prices.find((price) => price.country === country)?.credits ?? DEFAULT_PRICE,
        }))
    ).filter(({ country }) => countryAllowed(settings, channel, country)),
    otherwise: DEFAULT_PRICE,
    spendable: (account?.balance ?? 0) - (account?.reserved ?? 0),
  };
}
