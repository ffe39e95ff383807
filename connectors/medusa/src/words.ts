import type { OrderStatus } from '../../../src/contract/orderStatuses.ts';
import { dictionaries } from '../../../src/language/dictionaries.ts';
import { DEFAULT_LANGUAGE, type Language, languageFor } from '../../../src/language/languages.ts';
import { defaultText, type TextSource } from '../../../src/texts/defaults.ts';
import { type OrderVariables, renderOrderText } from '../../../src/texts/render.ts';
import type { WordingOptions } from './options.ts';

/** What a text can name, without what follows from its language. */
export interface Named {
  number: string;
  url: string;
  firstName: string;
  shopName: string;
  carrier: string;
  trackingNumber: string;
  trackingUrl: string;
  items: OrderVariables['items'];
}

/** Subject and body: the shop's own in the person's language, else those that Waypost writes itself. */
export function wordsFor(
  status: OrderStatus,
  tag: string | null,
  named: Named,
  options: Pick<WordingOptions, 'texts' | 'language'>,
): TextSource {
  const language = languageFor(tag, options.language ?? DEFAULT_LANGUAGE);
  const ours = defaultText(status, language);
  return renderOrderText(
    options.texts[status]?.[language] ?? ours,
    variablesOf(status, language, named),
    ours,
  );
}

const variablesOf = (status: OrderStatus, language: Language, named: Named): OrderVariables => ({
  order: { number: named.number, status: dictionaries[language][`status.${status}`], url: named.url },
  customer: { first_name: named.firstName },
  shop: { name: named.shopName },
  shipment: {
    carrier: named.carrier,
    tracking_number: named.trackingNumber,
    tracking_url: named.trackingUrl,
    expected_on: '',
  },
  items: [...named.items],
});
