import type { OrderStatus } from '../contract/orderStatuses.ts';
import { dictionaries } from '../language/dictionaries.ts';
import type { Language } from '../language/languages.ts';
import { csWording } from './languages/cs.ts';
import { daWording } from './languages/da.ts';
import { deWording } from './languages/de.ts';
import { enWording } from './languages/en.ts';
import { esWording } from './languages/es.ts';
import { etWording } from './languages/et.ts';
import { fiWording } from './languages/fi.ts';
import { frWording } from './languages/fr.ts';
import { itWording } from './languages/it.ts';
import { ltWording } from './languages/lt.ts';
import { lvWording } from './languages/lv.ts';
import { nbWording } from './languages/nb.ts';
import { nlWording } from './languages/nl.ts';
import { plWording } from './languages/pl.ts';
import { ptWording } from './languages/pt.ts';
import { svWording } from './languages/sv.ts';
import type { Wording } from './wording.ts';

/** Liquid. */
export interface TextSource {
  subject: string;
  body: string;
}

const wordings: Readonly<Record<Language, Wording>> = {
  en: enWording,
  et: etWording,
  fi: fiWording,
  sv: svWording,
  da: daWording,
  nb: nbWording,
  lv: lvWording,
  lt: ltWording,
  pl: plWording,
  cs: csWording,
  de: deWording,
  nl: nlWording,
  fr: frWording,
  es: esWording,
  pt: ptWording,
  it: itWording,
};

/** The parcel's lines: with the day it is expected while that is still to come. */
const parcelStatuses: Partial<Record<OrderStatus, { withDay: boolean }>> = {
  shipped: { withDay: true },
  in_transit: { withDay: true },
  out_for_delivery: { withDay: false },
  delivery_attempted: { withDay: false },
  ready_for_pickup: { withDay: false },
  delayed: { withDay: true },
};

/** Our text, as a shop finds it in its editor. */
export const defaultText = (status: OrderStatus, language: Language): TextSource => ({
  subject: subjectOf(status, language),
  body: bodyOf(status, wordings[language]),
});

/** What a nudge says of the status, as a sentence of its own. */
function subjectOf(status: OrderStatus, language: Language): string {
  const news = dictionaries[language][`order.${status}`].replace('{reference}', '{{ order.number }}');
  return `${news.charAt(0).toLocaleUpperCase(language)}${news.slice(1)}`;
}

function bodyOf(status: OrderStatus, wording: Wording): string {
  const items = status === 'confirmed' ? [ITEMS] : [];
  const lines = [...parcelLines(status, wording), lineIf('order.url', wording.order)];
  return [wording.hello, wording.news[status], ...items, lines.join(''), '{{ shop.name }}'].join('\n\n');
}

const ITEMS = '{% for item in items %}{{ item.quantity }} × {{ item.name }}\n{% endfor %}';

function parcelLines(status: OrderStatus, wording: Wording): string[] {
  const parcel = parcelStatuses[status];
  if (parcel === undefined) return [];
  const day = lineIf('shipment.expected_on', wording.expected, ` | date: "${wording.date}"`);
  return [
    lineIf('shipment.carrier', wording.carrier),
    lineIf('shipment.tracking_number', wording.trackingNumber),
    ...(parcel.withDay ? [day] : []),
    lineIf('shipment.tracking_url', wording.follow),
  ];
}

/** A line that is left out while its variable is empty. */
const lineIf = (variable: string, label: string, filter = ''): string =>
  `{% if ${variable} %}${label}: {{ ${variable}${filter} }}\n{% endif %}`;
