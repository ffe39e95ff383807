import type { Wording } from '../wording.ts';

export const esWording: Wording = {
  hello: 'Hola{% if customer.first_name %}, {{ customer.first_name }}{% endif %}:',
  date: '%d/%m/%Y',
  carrier: 'Transportista',
  trackingNumber: 'Número de seguimiento',
  expected: 'Entrega prevista',
  follow: 'Siga el envío aquí',
  order: 'Su pedido',
  news: {
    confirmed:
      'Gracias por su pedido {{ order.number }}. Lo hemos recibido y le escribiremos en cuanto esté en camino.',
    shipped: 'Buenas noticias: su pedido {{ order.number }} ha sido enviado y va camino de su casa.',
    in_transit: 'Su pedido {{ order.number }} está en camino.',
    out_for_delivery: 'Su pedido {{ order.number }} está en reparto y debería llegar hoy.',
    delivery_attempted:
      'Lo sentimos: no se ha podido entregar su pedido {{ order.number }}. Normalmente se hace otro intento, o el paquete le espera en un punto de recogida.',
    ready_for_pickup: 'Su pedido {{ order.number }} le espera: ya puede recogerlo.',
    delivered: 'Su pedido {{ order.number }} ha sido entregado. ¡Esperamos que lo disfrute!',
    cancelled:
      'Su pedido {{ order.number }} ha sido cancelado. Si no lo esperaba, póngase en contacto con nosotros.',
    refunded:
      'Hemos reembolsado su pedido {{ order.number }}. El dinero puede tardar unos días en llegar a su cuenta.',
    delayed:
      'Lo sentimos: su pedido {{ order.number }} se retrasa. Le escribiremos en cuanto haya novedades.',
  },
};
