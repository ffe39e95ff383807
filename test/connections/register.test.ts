import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { changeConnection } from '../../src/connections/connections.ts';
import { HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { type AnswerRegistration, openRegisteringShop } from './registeringShop.ts';

const answering =
  (status: number, body: unknown = {}): AnswerRegistration =>
  (response) =>
    answer(response, status, body);

const answer = (response: ServerResponse, status: number, body: unknown = {}): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test.each([
  [
    'aftership',
    '/tracking/2025-01/trackings',
    { 'as-api-key': 'key-1' },
    { tracking_number: 'N1', slug: 'ups' },
  ],
  [
    'easypost',
    '/v2/trackers',
    { authorization: `Basic ${Buffer.from('key-1:').toString('base64')}` },
    { tracker: { tracking_code: 'N1', carrier: 'UPS' } },
  ],
  ['shippo', '/tracks/', { authorization: 'ShippoToken key-1' }, { tracking_number: 'N1', carrier: 'ups' }],
  [
    'karrio',
    '/v1/trackers?pending_pickup=true',
    { authorization: 'Token key-1' },
    { tracking_number: 'N1', carrier_name: 'ups' },
  ],
] as const)('a new shipment is named to %s once', async (kind, path, headers, body) => {
  const shop = await openRegisteringShop();
  await shop.connect(kind);
  await shop.ship('N1');
  const loop = shop.start();
  await loop.drain();
  expect(shop.requests).toEqual([{ method: 'POST', path, headers: expect.objectContaining(headers), body }]);
  expect(await shop.registrations()).toMatchObject([
    { tracking_number: 'N1', attempts: 1, registered: true, due_at: null, error: null },
  ]);

  await shop.ship('N1');
  for (let n = 0; n < 3; n += 1) {
    shop.advance(MINUTE);
    await loop.drain();
  }
  expect(shop.requests).toHaveLength(1);
});

test('a shipment that was named before the connection was made is not registered, one named later is', async () => {
  const shop = await openRegisteringShop();
  await shop.ship('OLD');
  shop.advance(SECOND);
  await shop.connect('aftership');
  const loop = shop.start();
  await loop.drain();
  await shop.ship('NEW', 'Some Carrier', 'OLD');
  shop.advance(20 * SECOND);
  await loop.drain();
  expect(shop.requests.map(({ body }) => body)).toEqual([{ tracking_number: 'NEW' }]);
});

test('nothing is registered while the connection is off, or without a key', async () => {
  const shop = await openRegisteringShop();
  const connection = await shop.connect('easypost');
  const other = await shop.connect('shippo');
  await changeConnection(shop, connection, { status: 'off' }, 'operator');
  await changeConnection(shop, other, { credentials: null }, 'operator');
  await shop.ship('N1');
  await shop.start().drain();
  expect(shop.requests).toEqual([]);
});

test('of many shipments each is registered once', async () => {
  const shop = await openRegisteringShop();
  await shop.connect('aftership');
  for (let n = 0; n < 45; n += 1) await shop.ship(`N${n}`, null, 'O1');
  await shop.start().drain();
  const numbers = new Set((await shop.registrations()).map(({ tracking_number: number }) => number));
  expect([shop.requests.length, numbers.size]).toEqual([45, 45]);
});

describe('when a service does not take a shipment', () => {
  test('an error of the service is retried, and leaves nothing behind once it works', async () => {
    const shop = await openRegisteringShop((response) =>
      answer(response, shop.requests.length < 3 ? 500 : 201),
    );
    const connection = await shop.connect('easypost');
    await shop.ship('N1');
    const loop = shop.start();
    await loop.drain();
    expect(await shop.registrations()).toMatchObject([
      { attempts: 1, registered: false, error: 'EasyPost answered 500.' },
    ]);
    expect((await shop.again(connection)).lastError).toBe('N1: EasyPost answered 500.');

    shop.advance(30 * SECOND);
    await loop.drain();
    expect(shop.requests).toHaveLength(1);
    shop.advance(30 * SECOND);
    await loop.drain();
    expect(shop.requests).toHaveLength(2);
    shop.advance(5 * MINUTE);
    await loop.drain();
    expect(await shop.registrations()).toMatchObject([{ attempts: 3, registered: true, error: null }]);
    expect((await shop.again(connection)).lastError).toBeNull();
  });

  test('it is given up after eight attempts', async () => {
    const shop = await openRegisteringShop(answering(503));
    await shop.connect('easypost');
    await shop.ship('N1');
    const loop = shop.start();
    await loop.drain();
    for (let n = 0; n < 12; n += 1) {
      shop.advance(13 * HOUR);
      await loop.drain();
    }
    expect(shop.requests).toHaveLength(8);
    expect(await shop.registrations()).toMatchObject([{ attempts: 8, due_at: null, registered: false }]);
  });

  test('a refused API key is said in a sentence, and retried', async () => {
    const shop = await openRegisteringShop(answering(401, { meta: { code: 401, message: 'no' } }));
    const connection = await shop.connect('aftership');
    await shop.ship('N1');
    await shop.start().drain();
    expect((await shop.again(connection)).lastError).toBe('N1: AfterShip refused the API key (401).');
    expect(await shop.registrations()).toMatchObject([{ due_at: expect.any(Date) }]);
  });

  test.each([
    ['aftership', 400, { meta: { code: 4003, message: 'Tracking already exists.' } }],
    ['karrio', 409, {}],
  ] as const)('one that %s knows already counts as registered', async (kind, status, body) => {
    const shop = await openRegisteringShop(answering(status, body));
    await shop.connect(kind);
    await shop.ship('N1');
    await shop.start().drain();
    expect(await shop.registrations()).toMatchObject([{ registered: true, error: null }]);
  });

  test.each([
    ['aftership', { meta: { code: 4005, message: 'The number is invalid.' } }, 'The number is invalid'],
    ['easypost', { error: { code: 'X', message: 'No carrier has it' } }, 'No carrier has it'],
    ['shippo', { carrier: ['Not a carrier.'] }, 'Not a carrier'],
    ['karrio', { errors: [{ message: `Bad\u0000\n${'x'.repeat(300)}` }] }, `Bad ${'x'.repeat(196)}`],
  ] as const)('a number that %s refuses is not tried again', async (kind, body, said) => {
    const shop = await openRegisteringShop(answering(400, body));
    await shop.connect(kind);
    await shop.ship('N1');
    const loop = shop.start();
    await loop.drain();
    shop.advance(HOUR);
    await loop.drain();
    expect(shop.requests).toHaveLength(1);
    const [registration] = await shop.registrations();
    expect(registration).toMatchObject({ due_at: null, registered: false });
    expect(registration?.error).toMatch(new RegExp(`^\\w+ answered 400: ${said}\\.$`));
  });

  test('Shippo is not asked for a carrier that it does not know, until the shop names one that it does', async () => {
    const shop = await openRegisteringShop();
    await shop.connect('shippo');
    await shop.ship('N1', 'Uncle Bob’s Van');
    await shop.ship('N2', null);
    const loop = shop.start();
    await loop.drain();
    expect(shop.requests).toEqual([]);
    expect((await shop.registrations()).map(({ error }) => error)).toEqual([
      'Shippo knows no carrier “Uncle Bob’s Van”: name it in Shippo’s own word.',
      'Shippo needs the carrier of a shipment, and this one names none.',
    ]);

    await shop.ship('N1', 'better_trucks');
    await shop.ship('N2', 'Royal Mail');
    shop.advance(20 * SECOND);
    await loop.drain();
    expect(shop.requests.map(({ body }) => body)).toEqual([
      { tracking_number: 'N1', carrier: 'better_trucks' },
      { tracking_number: 'N2', carrier: 'royal_mail' },
    ]);
  });

  test('karrio without an address is not asked, and the connection says what is missing', async () => {
    const shop = await openRegisteringShop();
    const connection = await shop.connect('karrio', null);
    await shop.ship('N1');
    await shop.start().drain();
    expect((await shop.again(connection)).lastError).toBe(
      'Enter the address of karrio’s API, so that shipments can be named to it.',
    );
  });

  test('a service that asks to wait costs no attempt', async () => {
    const shop = await openRegisteringShop((response) =>
      answer(response, shop.requests.length < 2 ? 429 : 201),
    );
    await shop.connect('easypost');
    await shop.ship('N1');
    const loop = shop.start();
    await loop.drain();
    expect(await shop.registrations()).toMatchObject([{ attempts: 0, registered: false }]);
    shop.advance(MINUTE);
    await loop.drain();
    expect(await shop.registrations()).toMatchObject([{ attempts: 1, registered: true }]);
  });

  test('after five failures in a row it is left alone for an hour', async () => {
    const shop = await openRegisteringShop(answering(500));
    await shop.connect('easypost');
    for (let n = 0; n < 9; n += 1) await shop.ship(`N${n}`, null, 'O1');
    const loop = shop.start();
    await loop.drain();
    expect(shop.requests).toHaveLength(5);
    shop.advance(59 * MINUTE);
    await loop.drain();
    expect(shop.requests).toHaveLength(5);
    expect(shop.logged).toMatchObject([{ message: 'registering paused after failures' }]);
    shop.advance(MINUTE);
    await loop.drain();
    expect(shop.requests).toHaveLength(6);
  });
});

describe('a service that misbehaves', () => {
  test.each([
    ['never answers', () => {}, 'EasyPost: timed out after 0.3 s.'],
    [
      'hangs up',
      (response: ServerResponse) => response.destroy(),
      'EasyPost: the connection was closed before an answer.',
    ],
    [
      'sends us elsewhere',
      (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end(),
      'EasyPost answered 302 (redirects are not followed).',
    ],
  ])('that %s is tried again later', async (_name, behave, error) => {
    const shop = await openRegisteringShop(behave);
    await shop.connect('easypost');
    await shop.ship('N1');
    await shop.start({ callMs: 300 }).drain();
    expect(shop.requests).toHaveLength(1);
    expect(await shop.registrations()).toMatchObject([{ attempts: 1, due_at: expect.any(Date), error }]);
  });

  test('that answers without end has answered', async () => {
    const shop = await openRegisteringShop((response) => {
      response.writeHead(201);
      const more = setInterval(() => response.write('x'.repeat(32_768)), 5);
      response.on('close', () => clearInterval(more));
    });
    await shop.connect('easypost');
    await shop.ship('N1');
    await shop.start().drain();
    expect(await shop.registrations()).toMatchObject([{ registered: true }]);
  });

  test('that is at an address of our own network is not asked', async () => {
    const shop = await openRegisteringShop();
    const connection = await shop.connect('karrio', 'https://10.0.0.1');
    await shop.ship('N1');
    await shop.start().drain();
    expect((await shop.again(connection)).lastError).toBe(
      'N1: karrio: the host does not resolve to a public address.',
    );
  });
});

test('two processes register each shipment once', async () => {
  const shop = await openRegisteringShop();
  await shop.connect('aftership');
  await shop.connect('easypost');
  for (let n = 0; n < 30; n += 1) await shop.ship(`N${n}`, null, 'O1');
  const loops = [shop.start(), shop.start()];
  for (let n = 0; n < 4; n += 1) {
    await Promise.all(loops.map((loop) => loop.drain()));
    shop.advance(MINUTE);
  }
  expect(new Set(shop.requests.map(({ path, body }) => path + JSON.stringify(body))).size).toBe(60);
  expect(shop.requests).toHaveLength(60);
});

test('a process that stops in a call leaves the shipment to the next one', async () => {
  const shop = await openRegisteringShop((response) => {
    if (shop.requests.length > 1) answer(response, 200);
  });
  await shop.connect('aftership');
  await shop.ship('N1');
  const stopping = shop.start();
  await expect.poll(() => shop.requests.length).toBe(1);
  await stopping.stop();
  expect(await shop.registrations()).toMatchObject([{ attempts: 0, registered: false }]);
  await shop.start().drain();
  expect(await shop.registrations()).toMatchObject([{ attempts: 1, registered: true }]);
});
