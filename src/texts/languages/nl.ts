import type { Wording } from '../wording.ts';

export const nlWording: Wording = {
  hello: 'Hallo{% if customer.first_name %} {{ customer.first_name }}{% endif %},',
  date: '%d-%m-%Y',
  carrier: 'Vervoerder',
  trackingNumber: 'Trackingnummer',
  expected: 'Verwachte bezorging',
  follow: 'Volg het pakket hier',
  order: 'Uw bestelling',
  news: {
    confirmed:
      'Bedankt voor uw bestelling {{ order.number }}. We hebben deze ontvangen en laten het u weten zodra uw bestelling onderweg is.',
    shipped: 'Goed nieuws: uw bestelling {{ order.number }} is verzonden en komt naar u toe.',
    in_transit: 'Uw bestelling {{ order.number }} is naar u onderweg.',
    out_for_delivery:
      'De bezorger is onderweg met uw bestelling {{ order.number }} en komt naar verwachting vandaag.',
    delivery_attempted:
      'Het spijt ons: uw bestelling {{ order.number }} kon niet worden afgegeven. Meestal volgt een nieuwe poging of ligt het pakket voor u klaar bij een afhaalpunt.',
    ready_for_pickup: 'Uw bestelling {{ order.number }} ligt voor u klaar om af te halen.',
    delivered: 'Uw bestelling {{ order.number }} is bezorgd. We wensen u er veel plezier mee!',
    cancelled:
      'Uw bestelling {{ order.number }} is geannuleerd. Had u dit niet verwacht? Neem dan contact met ons op.',
    refunded:
      'We hebben uw bestelling {{ order.number }} terugbetaald. Het kan enkele dagen duren voordat het geld op uw rekening staat.',
    delayed:
      'Het spijt ons: uw bestelling {{ order.number }} is vertraagd. We laten het u weten zodra er nieuws is.',
  },
};
