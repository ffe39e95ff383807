import type { Wording } from '../wording.ts';

export const csWording: Wording = {
  hello: 'Dobrý den,',
  date: '%-d. %-m. %Y',
  carrier: 'Dopravce',
  trackingNumber: 'Sledovací číslo',
  expected: 'Předpokládané doručení',
  follow: 'Zásilku sledujte zde',
  order: 'Vaše objednávka',
  news: {
    confirmed:
      'děkujeme za vaši objednávku {{ order.number }}. Přijali jsme ji a ozveme se znovu, jakmile bude na cestě.',
    shipped: 'máme dobrou zprávu: vaše objednávka {{ order.number }} byla odeslána a je na cestě k vám.',
    in_transit: 'vaše objednávka {{ order.number }} je na cestě k vám.',
    out_for_delivery: 'vaše objednávka {{ order.number }} se právě doručuje a měla by dorazit ještě dnes.',
    delivery_attempted:
      'omlouváme se: vaši objednávku {{ order.number }} se nepodařilo předat. Obvykle následuje další pokus, nebo na vás balík čeká na výdejním místě.',
    ready_for_pickup: 'vaše objednávka {{ order.number }} na vás čeká a je připravena k vyzvednutí.',
    delivered: 'vaše objednávka {{ order.number }} byla doručena. Doufáme, že vám udělá radost!',
    cancelled:
      'vaše objednávka {{ order.number }} byla zrušena. Pokud jste to nečekali, ozvěte se nám prosím.',
    refunded:
      'vrátili jsme vám peníze za objednávku {{ order.number }}. Může trvat několik dní, než je budete mít na účtu.',
    delayed:
      'omlouváme se: vaše objednávka {{ order.number }} se zpozdí. Ozveme se znovu, jakmile budeme vědět víc.',
  },
};
