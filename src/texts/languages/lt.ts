import type { Wording } from '../wording.ts';

export const ltWording: Wording = {
  hello: 'Sveiki!',
  date: '%Y-%m-%d',
  carrier: 'Vežėjas',
  trackingNumber: 'Siuntos numeris',
  expected: 'Numatomas pristatymas',
  follow: 'Sekite siuntą čia',
  order: 'Jūsų užsakymas',
  news: {
    confirmed: 'Dėkojame už užsakymą {{ order.number }}. Jį gavome ir vėl parašysime, kai tik jis iškeliaus.',
    shipped: 'Gera žinia: jūsų užsakymas {{ order.number }} išsiųstas ir jau keliauja pas jus.',
    in_transit: 'Jūsų užsakymas {{ order.number }} keliauja pas jus.',
    out_for_delivery: 'Jūsų užsakymą {{ order.number }} jau veža kurjeris. Jis turėtų jus pasiekti šiandien.',
    delivery_attempted:
      'Atsiprašome: jūsų užsakymo {{ order.number }} nepavyko įteikti. Paprastai bandoma dar kartą arba siunta laukia jūsų atsiėmimo vietoje.',
    ready_for_pickup: 'Jūsų užsakymas {{ order.number }} laukia jūsų: jį jau galite atsiimti.',
    delivered: 'Jūsų užsakymas {{ order.number }} pristatytas. Tikimės, kad jis jums patiks!',
    cancelled: 'Jūsų užsakymas {{ order.number }} atšauktas. Jei to nesitikėjote, susisiekite su mumis.',
    refunded:
      'Grąžinome jums pinigus už užsakymą {{ order.number }}. Gali praeiti kelios dienos, kol jie pasieks jūsų sąskaitą.',
    delayed:
      'Atsiprašome: jūsų užsakymas {{ order.number }} vėluoja. Vėl parašysime, kai tik sužinosime daugiau.',
  },
};
