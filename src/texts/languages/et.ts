import type { Wording } from '../wording.ts';

export const etWording: Wording = {
  hello: 'Tere{% if customer.first_name %}, {{ customer.first_name }}{% endif %}!',
  date: '%-d.%-m.%Y',
  carrier: 'Vedaja',
  trackingNumber: 'Jälgimisnumber',
  expected: 'Oodatav kohalejõudmine',
  follow: 'Jälgige saadetist siin',
  order: 'Teie tellimus',
  news: {
    confirmed:
      'Täname teid tellimuse {{ order.number }} eest. Oleme selle kätte saanud ja kirjutame uuesti kohe, kui see teele läheb.',
    shipped: 'Hea uudis: teie tellimus {{ order.number }} on meie juurest teele pandud.',
    in_transit: 'Teie tellimus {{ order.number }} on teel teie poole.',
    out_for_delivery: 'Teie tellimus {{ order.number }} on kulleri käes ja peaks jõudma teieni täna.',
    delivery_attempted:
      'Vabandame: kulleril ei õnnestunud teie tellimust {{ order.number }} üle anda. Tavaliselt proovib ta uuesti või jääb pakk teid väljastuspunkti ootama.',
    ready_for_pickup: 'Teie tellimus {{ order.number }} ootab teid. Tulge sellele järele, kui teile sobib.',
    delivered: 'Teie tellimus {{ order.number }} on kohale toimetatud. Loodame, et see meeldib teile!',
    cancelled:
      'Teie tellimus {{ order.number }} on tühistatud. Kui see tuli teile ootamatult, võtke palun meiega ühendust.',
    refunded:
      'Oleme teile tellimuse {{ order.number }} raha tagastanud. Kontole jõudmiseks võib kuluda mõni päev.',
    delayed:
      'Vabandame: teie tellimus {{ order.number }} jõuab kohale plaanitust hiljem. Kirjutame uuesti kohe, kui on uudiseid.',
  },
};
