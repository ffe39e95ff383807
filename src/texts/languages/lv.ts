import type { Wording } from '../wording.ts';

export const lvWording: Wording = {
  hello: 'Labdien!',
  date: '%d.%m.%Y.',
  carrier: 'Pārvadātājs',
  trackingNumber: 'Sūtījuma numurs',
  expected: 'Paredzamā piegāde',
  follow: 'Sekojiet sūtījumam šeit',
  order: 'Jūsu pasūtījums',
  news: {
    confirmed:
      'Paldies par pasūtījumu {{ order.number }}. Esam to saņēmuši un rakstīsim vēlreiz, tiklīdz tas būs ceļā.',
    shipped: 'Labas ziņas: jūsu pasūtījums {{ order.number }} ir nosūtīts un dodas pie jums.',
    in_transit: 'Jūsu pasūtījums {{ order.number }} ir ceļā pie jums.',
    out_for_delivery: 'Jūsu pasūtījums {{ order.number }} ir pie kurjera, un tam vajadzētu pienākt šodien.',
    delivery_attempted:
      'Atvainojamies: jūsu pasūtījumu {{ order.number }} neizdevās nodot. Parasti kurjers mēģina vēlreiz, vai arī sūtījums gaida jūs saņemšanas punktā.',
    ready_for_pickup: 'Jūsu pasūtījums {{ order.number }} gaida jūs un ir gatavs saņemšanai.',
    delivered: 'Jūsu pasūtījums {{ order.number }} ir piegādāts. Ceram, ka tas jums patiks!',
    cancelled: 'Jūsu pasūtījums {{ order.number }} ir atcelts. Ja to negaidījāt, lūdzu, sazinieties ar mums.',
    refunded:
      'Esam atmaksājuši naudu par jūsu pasūtījumu {{ order.number }}. Līdz tā nonāks jūsu kontā, var paiet dažas dienas.',
    delayed:
      'Atvainojamies: jūsu pasūtījums {{ order.number }} kavējas. Rakstīsim vēlreiz, tiklīdz uzzināsim vairāk.',
  },
};
