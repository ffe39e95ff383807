import type { Wording } from '../wording.ts';

export const plWording: Wording = {
  hello: 'Dzień dobry!',
  date: '%d.%m.%Y',
  carrier: 'Przewoźnik',
  trackingNumber: 'Numer śledzenia',
  expected: 'Przewidywane doręczenie',
  follow: 'Śledź przesyłkę tutaj',
  order: 'Twoje zamówienie',
  news: {
    confirmed:
      'Dziękujemy za zamówienie {{ order.number }}. Przyjęliśmy je i napiszemy ponownie, gdy tylko wyruszy w drogę.',
    shipped:
      'Dobra wiadomość: Twoje zamówienie {{ order.number }} zostało wysłane i jest w drodze do Ciebie.',
    in_transit: 'Twoje zamówienie {{ order.number }} jest w drodze do Ciebie.',
    out_for_delivery:
      'Twoje zamówienie {{ order.number }} zostało wydane do doręczenia i powinno dotrzeć dzisiaj.',
    delivery_attempted:
      'Przepraszamy: nie udało się doręczyć Twojego zamówienia {{ order.number }}. Zwykle kurier próbuje ponownie albo paczka czeka w punkcie odbioru.',
    ready_for_pickup: 'Twoje zamówienie {{ order.number }} czeka na Ciebie i jest gotowe do odbioru.',
    delivered: 'Twoje zamówienie {{ order.number }} zostało dostarczone. Mamy nadzieję, że się spodoba!',
    cancelled:
      'Twoje zamówienie {{ order.number }} zostało anulowane. Jeśli to dla Ciebie niespodzianka, skontaktuj się z nami.',
    refunded:
      'Zwróciliśmy pieniądze za Twoje zamówienie {{ order.number }}. Może minąć kilka dni, zanim znajdą się na Twoim koncie.',
    delayed:
      'Przepraszamy: Twoje zamówienie {{ order.number }} jest opóźnione. Napiszemy ponownie, gdy tylko będziemy wiedzieć więcej.',
  },
};
