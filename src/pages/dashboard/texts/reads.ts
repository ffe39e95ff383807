import type { Queryable } from '../../../db/statement.ts';
import { DAY, later } from '../../../kit/clock.ts';
import { dictionaries } from '../../../language/dictionaries.ts';
import type { Language } from '../../../language/languages.ts';
import { defaultText, type TextSource } from '../../../texts/defaults.ts';
import { checkTextSource, renderOrderText, type SourceFault } from '../../../texts/render.ts';
import { readTexts, type TextInUse, type TextPlace } from '../../../texts/texts.ts';
import { actorWords } from '../audit/words.ts';
import { changersOfTexts } from './sql.ts';

export interface ListedText extends TextInUse {
  /** Null: nobody, it is ours. */
  changedBy: string | null;
}

/** The texts of a language, in the order of the statuses, and who changed them. */
export async function readTextsOf(
  db: Queryable,
  businessId: string,
  language: Language,
): Promise<ListedText[]> {
  const [texts, changers] = await Promise.all([
    readTexts(db, businessId),
    changersOfTexts(db, businessId, language),
  ]);
  return texts
    .filter(({ view }) => view.language === language)
    .map((text) => {
      const names = changers.find(({ order_status }) => order_status === text.view.order_status);
      return { ...text, changedBy: text.own && actorWords({ actor: text.own.changed_by }, names) };
    });
}

/** What a source makes of an example order, and what is wrong with it. */
export interface TextPreview {
  rendered: TextSource;
  faults: readonly SourceFault[];
}

export function previewText(
  { status, language }: TextPlace,
  source: TextSource,
  shopName: string,
  now: Date,
): TextPreview {
  const variables = {
    order: {
      number: '1001',
      status: dictionaries[language][`status.${status}`],
      url: 'https://shop.example/orders/1001',
    },
    customer: { first_name: 'Mari' },
    shop: { name: shopName },
    shipment: {
      carrier: 'Example Post',
      tracking_number: 'CC 123 456 789 EE',
      tracking_url: 'https://carrier.example/CC123456789EE',
      expected_on: later(now, 2 * DAY)
        .toISOString()
        .slice(0, 10),
    },
    items: [
      { name: 'Wool scarf', quantity: 1 },
      { name: 'Candle', quantity: 2 },
    ],
  };
  return {
    rendered: renderOrderText(source, variables, defaultText(status, language)),
    faults: checkTextSource(source),
  };
}
