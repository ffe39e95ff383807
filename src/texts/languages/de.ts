import type { Wording } from '../wording.ts';

export const deWording: Wording = {
  hello: 'Guten Tag{% if customer.first_name %} {{ customer.first_name }}{% endif %}!',
  date: '%d.%m.%Y',
  carrier: 'Versand durch',
  trackingNumber: 'Sendungsnummer',
  expected: 'Voraussichtliche Zustellung',
  follow: 'Sendung verfolgen',
  order: 'Ihre Bestellung',
  news: {
    confirmed:
      'Vielen Dank für Ihre Bestellung {{ order.number }}. Wir haben sie erhalten und melden uns wieder, sobald sie unterwegs ist.',
    shipped:
      'Gute Nachricht: Ihre Bestellung {{ order.number }} hat unser Haus verlassen und ist auf dem Weg zu Ihnen.',
    in_transit: 'Ihre Bestellung {{ order.number }} ist auf dem Weg zu Ihnen.',
    out_for_delivery:
      'Ihre Bestellung {{ order.number }} ist in Zustellung und sollte heute bei Ihnen eintreffen.',
    delivery_attempted:
      'Es tut uns leid: Ihre Bestellung {{ order.number }} konnte nicht übergeben werden. Meist folgt ein weiterer Zustellversuch, oder das Paket liegt in einer Abholstelle für Sie bereit.',
    ready_for_pickup: 'Ihre Bestellung {{ order.number }} liegt für Sie zur Abholung bereit.',
    delivered: 'Ihre Bestellung {{ order.number }} wurde zugestellt. Wir wünschen Ihnen viel Freude damit!',
    cancelled:
      'Ihre Bestellung {{ order.number }} wurde storniert. Falls das für Sie unerwartet kommt, melden Sie sich bitte bei uns.',
    refunded:
      'Wir haben Ihnen Ihre Bestellung {{ order.number }} erstattet. Es kann einige Tage dauern, bis das Geld auf Ihrem Konto ist.',
    delayed:
      'Es tut uns leid: Ihre Bestellung {{ order.number }} braucht länger als geplant. Wir melden uns wieder, sobald es Neues gibt.',
  },
};
