import type { Wording } from '../wording.ts';

export const svWording: Wording = {
  hello: 'Hej{% if customer.first_name %} {{ customer.first_name }}{% endif %}!',
  date: '%Y-%m-%d',
  carrier: 'Transportör',
  trackingNumber: 'Spårningsnummer',
  expected: 'Beräknad leverans',
  follow: 'Följ paketet här',
  order: 'Din beställning',
  news: {
    confirmed:
      'Tack för din beställning {{ order.number }}. Vi har tagit emot den och hör av oss igen så snart den är på väg.',
    shipped: 'Goda nyheter: din beställning {{ order.number }} har skickats och är på väg till dig.',
    in_transit: 'Din beställning {{ order.number }} är på väg till dig.',
    out_for_delivery: 'Din beställning {{ order.number }} är ute för leverans och bör komma fram i dag.',
    delivery_attempted:
      'Vi beklagar: din beställning {{ order.number }} kunde inte lämnas över. Oftast görs ett nytt försök, eller så väntar paketet på dig hos ett ombud.',
    ready_for_pickup: 'Din beställning {{ order.number }} väntar på dig och kan hämtas.',
    delivered: 'Din beställning {{ order.number }} har levererats. Vi hoppas att du blir nöjd!',
    cancelled:
      'Din beställning {{ order.number }} har annullerats. Om det kom oväntat är du välkommen att kontakta oss.',
    refunded:
      'Vi har återbetalat din beställning {{ order.number }}. Det kan ta några dagar innan pengarna finns på ditt konto.',
    delayed:
      'Vi beklagar: din beställning {{ order.number }} är försenad. Vi hör av oss igen så snart vi vet mer.',
  },
};
