import type { Wording } from '../wording.ts';

export const daWording: Wording = {
  hello: 'Hej{% if customer.first_name %} {{ customer.first_name }}{% endif %}!',
  date: '%d.%m.%Y',
  carrier: 'Transportør',
  trackingNumber: 'Trackingnummer',
  expected: 'Forventet levering',
  follow: 'Følg pakken her',
  order: 'Din ordre',
  news: {
    confirmed:
      'Tak for din ordre {{ order.number }}. Vi har modtaget den og skriver igen, så snart den er på vej.',
    shipped: 'Godt nyt: din ordre {{ order.number }} er afsendt og på vej til dig.',
    in_transit: 'Din ordre {{ order.number }} er på vej til dig.',
    out_for_delivery: 'Din ordre {{ order.number }} er ude til levering og forventes at nå frem i dag.',
    delivery_attempted:
      'Vi beklager: din ordre {{ order.number }} kunne ikke afleveres. Som regel bliver der gjort et nyt forsøg, eller også venter pakken på dig på et afhentningssted.',
    ready_for_pickup: 'Din ordre {{ order.number }} venter på dig og er klar til afhentning.',
    delivered: 'Din ordre {{ order.number }} er leveret. Vi håber, at du bliver glad for den!',
    cancelled:
      'Din ordre {{ order.number }} er annulleret. Hvis det kom uventet, er du velkommen til at kontakte os.',
    refunded:
      'Vi har refunderet din ordre {{ order.number }}. Der kan gå nogle dage, før pengene står på din konto.',
    delayed: 'Vi beklager: din ordre {{ order.number }} er forsinket. Vi skriver igen, så snart vi ved mere.',
  },
};
