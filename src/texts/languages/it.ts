import type { Wording } from '../wording.ts';

export const itWording: Wording = {
  hello: 'Buongiorno{% if customer.first_name %} {{ customer.first_name }}{% endif %},',
  date: '%d/%m/%Y',
  carrier: 'Corriere',
  trackingNumber: 'Numero di tracciamento',
  expected: 'Consegna prevista',
  follow: 'Segua la spedizione qui',
  order: 'Il suo ordine',
  news: {
    confirmed:
      'grazie per il suo ordine {{ order.number }}. Lo abbiamo ricevuto e le scriveremo di nuovo non appena sarà in viaggio.',
    shipped: 'buone notizie: il suo ordine {{ order.number }} è stato spedito ed è in viaggio verso di lei.',
    in_transit: 'il suo ordine {{ order.number }} è in viaggio verso di lei.',
    out_for_delivery: 'il suo ordine {{ order.number }} è in consegna e dovrebbe arrivare oggi.',
    delivery_attempted:
      'ci dispiace: non è stato possibile consegnare il suo ordine {{ order.number }}. Di solito viene fatto un altro tentativo, oppure il pacco la attende in un punto di ritiro.',
    ready_for_pickup: 'il suo ordine {{ order.number }} la attende: è pronto per il ritiro.',
    delivered: 'il suo ordine {{ order.number }} è stato consegnato. Speriamo che le piaccia!',
    cancelled: 'il suo ordine {{ order.number }} è stato annullato. Se non se lo aspettava, ci contatti.',
    refunded:
      'abbiamo rimborsato il suo ordine {{ order.number }}. Possono volerci alcuni giorni prima che il denaro arrivi sul suo conto.',
    delayed:
      'ci dispiace: il suo ordine {{ order.number }} è in ritardo. Le scriveremo di nuovo non appena ci saranno novità.',
  },
};
