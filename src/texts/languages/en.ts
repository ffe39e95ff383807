import type { Wording } from '../wording.ts';

export const enWording: Wording = {
  hello: 'Hello{% if customer.first_name %} {{ customer.first_name }}{% endif %},',
  date: '%-d %B %Y',
  carrier: 'Carrier',
  trackingNumber: 'Tracking number',
  expected: 'Expected',
  follow: 'Follow it here',
  order: 'Your order',
  news: {
    confirmed:
      'Thank you for your order {{ order.number }}. We have it, and will write again as soon as it is on its way.',
    shipped: 'Good news: your order {{ order.number }} has left us and is on its way to you.',
    in_transit: 'Your order {{ order.number }} is on its way to you.',
    out_for_delivery: 'Your order {{ order.number }} is out for delivery and should reach you today.',
    delivery_attempted:
      'We are sorry: the courier could not hand over your order {{ order.number }}. Usually there is another attempt, or it waits for you at a pickup point.',
    ready_for_pickup: 'Your order {{ order.number }} is ready for you to pick up.',
    delivered: 'Your order {{ order.number }} has been delivered. We hope you enjoy it!',
    cancelled:
      'Your order {{ order.number }} has been cancelled. If you did not expect this, please get in touch with us.',
    refunded:
      'We have refunded your order {{ order.number }}. It can take a few days until the money is in your account.',
    delayed:
      'We are sorry: your order {{ order.number }} is taking longer than planned. We will write again as soon as there is news.',
  },
};
