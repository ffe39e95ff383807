import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

test('following a link signs in, opens the message it was about and tells the merchant once', async () => {
  const business = await shop.business();
  const person = await business.recipient();
  const message = await person.message({ reference: '#1042' });
  const token = await person.link(message);

  const page = await shop.app.inject({ url: `/i/${token}` });
  expect(page.statusCode).toBe(200);
  const arrival = await shop.app.inject({ method: 'POST', url: `/i/${token}` });
  expect(arrival.statusCode).toBe(303);
  expect(arrival.headers.location).toBe(`/inbox?open=${message}#m-${message}`);
  const cookie = String(arrival.headers['set-cookie']).split(';')[0];
  const inbox = await shop.app.inject({ url: `/inbox?open=${message}`, headers: { cookie } });
  expect(inbox.statusCode).toBe(200);
  expect(inbox.body).toContain('It left us today.');
  expect(await shop.rows(`select type, data from events where business_id = $1`, business.id)).toEqual([
    {
      type: 'message.opened',
      data: {
        message_id: message,
        recipient_email: person.email,
        subject: 'Your order is on its way',
        reference: '#1042',
        channel: 'email',
      },
    },
  ]);
});
