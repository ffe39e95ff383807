import type { Wording } from '../wording.ts';

export const nbWording: Wording = {
  hello: 'Hei{% if customer.first_name %} {{ customer.first_name }}{% endif %}!',
  date: '%d.%m.%Y',
  carrier: 'Transportør',
  trackingNumber: 'Sporingsnummer',
  expected: 'Forventet levering',
  follow: 'Følg pakken her',
  order: 'Bestillingen din',
  news: {
    confirmed:
      'Takk for bestillingen din {{ order.number }}. Vi har mottatt den, og skriver igjen så snart den er på vei.',
    shipped: 'Gode nyheter: bestillingen din {{ order.number }} er sendt og på vei til deg.',
    in_transit: 'Bestillingen din {{ order.number }} er på vei til deg.',
    out_for_delivery:
      'Bestillingen din {{ order.number }} er ute til levering og skal etter planen komme fram i dag.',
    delivery_attempted:
      'Vi beklager: bestillingen din {{ order.number }} kunne ikke overleveres. Vanligvis blir det gjort et nytt forsøk, eller så venter pakken på deg på et hentested.',
    ready_for_pickup: 'Bestillingen din {{ order.number }} venter på deg og kan hentes.',
    delivered: 'Bestillingen din {{ order.number }} er levert. Vi håper du blir fornøyd!',
    cancelled:
      'Bestillingen din {{ order.number }} er kansellert. Hvis dette kom uventet, er det bare å ta kontakt med oss.',
    refunded:
      'Vi har refundert bestillingen din {{ order.number }}. Det kan ta noen dager før pengene er på kontoen din.',
    delayed:
      'Vi beklager: bestillingen din {{ order.number }} er forsinket. Vi skriver igjen så snart vi vet mer.',
  },
};
