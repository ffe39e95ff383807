import type { Wording } from '../wording.ts';

export const ptWording: Wording = {
  hello: 'Olá{% if customer.first_name %}, {{ customer.first_name }}{% endif %}!',
  date: '%d/%m/%Y',
  carrier: 'Transportadora',
  trackingNumber: 'Número de seguimento',
  expected: 'Entrega prevista',
  follow: 'Acompanhe o envio aqui',
  order: 'A sua encomenda',
  news: {
    confirmed:
      'Obrigado pela sua encomenda {{ order.number }}. Já a recebemos e voltaremos a escrever assim que estiver a caminho.',
    shipped: 'Boas notícias: a sua encomenda {{ order.number }} foi enviada e está a caminho.',
    in_transit: 'A sua encomenda {{ order.number }} está a caminho.',
    out_for_delivery: 'A sua encomenda {{ order.number }} saiu para entrega e deverá chegar hoje.',
    delivery_attempted:
      'Lamentamos: não foi possível entregar a sua encomenda {{ order.number }}. Normalmente há uma nova tentativa, ou a encomenda fica à sua espera num ponto de recolha.',
    ready_for_pickup: 'A sua encomenda {{ order.number }} está à sua espera e pronta para levantar.',
    delivered: 'A sua encomenda {{ order.number }} foi entregue. Esperamos que goste!',
    cancelled:
      'A sua encomenda {{ order.number }} foi cancelada. Se não estava à espera disto, entre em contacto connosco.',
    refunded:
      'Reembolsámos a sua encomenda {{ order.number }}. O dinheiro pode demorar alguns dias a chegar à sua conta.',
    delayed:
      'Lamentamos: a sua encomenda {{ order.number }} está atrasada. Voltaremos a escrever assim que houver novidades.',
  },
};
