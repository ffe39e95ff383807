import type { Wording } from '../wording.ts';

export const frWording: Wording = {
  hello: 'Bonjour{% if customer.first_name %} {{ customer.first_name }}{% endif %},',
  date: '%d/%m/%Y',
  carrier: 'Transporteur',
  trackingNumber: 'Numéro de suivi',
  expected: 'Livraison prévue',
  follow: 'Suivre le colis',
  order: 'Votre commande',
  news: {
    confirmed:
      'Merci pour votre commande {{ order.number }}. Nous l’avons bien reçue et vous écrirons dès qu’elle sera en route.',
    shipped: 'Bonne nouvelle : votre commande {{ order.number }} a été expédiée et arrive bientôt chez vous.',
    in_transit: 'Votre commande {{ order.number }} est en route vers vous.',
    out_for_delivery:
      'Votre commande {{ order.number }} est en cours de livraison et devrait arriver aujourd’hui.',
    delivery_attempted:
      'Nous sommes désolés : votre commande {{ order.number }} n’a pas pu vous être remise. En général, une nouvelle tentative a lieu ou le colis vous attend dans un point de retrait.',
    ready_for_pickup: 'Votre commande {{ order.number }} vous attend : elle est prête à être retirée.',
    delivered: 'Votre commande {{ order.number }} a été livrée. Nous espérons qu’elle vous plaira !',
    cancelled:
      'Votre commande {{ order.number }} a été annulée. Si vous ne vous y attendiez pas, n’hésitez pas à nous contacter.',
    refunded:
      'Nous avons remboursé votre commande {{ order.number }}. Quelques jours peuvent être nécessaires avant que l’argent arrive sur votre compte.',
    delayed:
      'Nous sommes désolés : votre commande {{ order.number }} prend du retard. Nous vous écrirons dès que nous en saurons plus.',
  },
};
