import type { Wording } from '../wording.ts';

export const fiWording: Wording = {
  hello: 'Hei{% if customer.first_name %} {{ customer.first_name }}{% endif %}!',
  date: '%-d.%-m.%Y',
  carrier: 'Kuljetusyhtiö',
  trackingNumber: 'Seurantanumero',
  expected: 'Arvioitu toimitus',
  follow: 'Seuraa lähetystä täällä',
  order: 'Tilauksesi',
  news: {
    confirmed:
      'Kiitos tilauksestasi {{ order.number }}. Olemme vastaanottaneet sen ja kirjoitamme uudelleen heti, kun se on lähdössä matkaan.',
    shipped: 'Hyviä uutisia: tilauksesi {{ order.number }} on lähetetty ja matkalla luoksesi.',
    in_transit: 'Tilauksesi {{ order.number }} on matkalla luoksesi.',
    out_for_delivery: 'Tilauksesi {{ order.number }} on jakelussa, ja sen pitäisi saapua tänään.',
    delivery_attempted:
      'Pahoittelemme: tilaustasi {{ order.number }} ei saatu luovutettua. Yleensä toimitusta yritetään uudelleen tai paketti jää odottamaan noutopisteeseen.',
    ready_for_pickup: 'Tilauksesi {{ order.number }} odottaa sinua ja on noudettavissa.',
    delivered: 'Tilauksesi {{ order.number }} on toimitettu. Toivottavasti pidät siitä!',
    cancelled: 'Tilauksesi {{ order.number }} on peruttu. Jos tämä tuli yllätyksenä, ota meihin yhteyttä.',
    refunded:
      'Olemme hyvittäneet tilauksesi {{ order.number }}. Voi kestää muutaman päivän, ennen kuin raha on tililläsi.',
    delayed:
      'Pahoittelemme: tilauksesi {{ order.number }} viivästyy. Kirjoitamme uudelleen heti, kun tiedämme lisää.',
  },
};
