import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 5 });
});
afterAll(() => service.close());

const ORDER = JSON.stringify(ORDER_UPDATE).slice(1, -1);
const send = (raw: string | Uint8Array) =>
  shop.call('POST', '/api/v1/messages', { raw, idempotencyKey: crypto.randomUUID() });

describe('members named like what every object inherits', () => {
  const POISON = '{"polluted":true,"isAdmin":true,"recipient_email":"eve@example.com"}';

  test.each([
    ['__proto__', `{${ORDER},"__proto__":${POISON}}`],
    ['constructor.prototype', `{${ORDER},"constructor":{"prototype":${POISON}}}`],
    ['in a nested object', `{${ORDER},"extra":{"__proto__":${POISON}}}`],
    ['in a list', `{${ORDER},"extra":[{"__proto__":${POISON}}]}`],
    ['escaped', `{${ORDER},"\\u005f_proto__":${POISON}}`],
  ])('%s changes no other object, and the push is an ordinary one', async (_, raw) => {
    const answer = await send(raw);
    expect([answer.status, answer.body]).toMatchObject([201, { recipient_email: 'ann@example.com' }]);
    // The service runs in this very process.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });

  test('give an object nothing that it does not have itself', async () => {
    const faults = validationErrorsOf(await send(`{"__proto__":{${ORDER}}}`));
    expect(faults.map(({ type, loc }) => [type, loc[1]])).toEqual([
      ['missing', 'recipient_email'],
      ['missing', 'subject'],
      ['missing', 'body'],
    ]);
    const optIn = `{${ORDER},"recipient_phone":"+447700900123","whatsapp_opt_in":{"__proto__":{"source":"x"}}}`;
    expect(validationErrorsOf(await send(optIn))).toMatchObject([
      { type: 'missing', loc: ['body', 'whatsapp_opt_in', 'source'] },
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is no message, key or query',
    async (name) => {
      expect((await shop.get(`/api/v1/messages/${name}`)).status).toBe(404);
      expect((await shop.delete(`/api/v1/keys/${name}`)).status).toBe(404);
      expect((await shop.get(`/api/v1/messages?${name}[polluted]=1&${name}=2`)).status).toBe(200);
      expect((await shop.push({}, name)).status).toBe(201);
      expect((await shop.push({ order_status: name })).body).toMatchObject({ order_status: name });
    },
  );
});

describe('numbers beyond all measure', () => {
  test.each([
    '1e400',
    '-1e400',
    '1e308',
    '9'.repeat(400),
    '9007199254740993',
    '30.0000000001',
    '1e-400',
    '-0',
    '0.5',
  ])('%s minutes is refused', async (number) => {
    const faults = validationErrorsOf(
      await send(`{${ORDER},"channels":["sms"],"escalate_if_unread_after_minutes":${number}}`),
    );
    expect(faults.map(({ loc }) => loc)).toEqual([['body', 'escalate_if_unread_after_minutes']]);
  });

  test('where nobody looks they do not matter', async () => {
    expect((await send(`{${ORDER},"extra":[1e400,${'9'.repeat(5_000)},-1e-999]}`)).status).toBe(201);
  });
});

describe('bytes that are not UTF-8', () => {
  const around = (bytes: number[]): Uint8Array =>
    Buffer.concat([Buffer.from(`{${ORDER},"reference":"`), Buffer.from(bytes), Buffer.from('"}')]);

  test.each([
    ['a lone continuation', [0x80]],
    ['a cut character', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['no such byte', [0xff]],
  ])('%s is no JSON', async (_, bytes) => {
    expect((await send(around(bytes))).status).toBe(422);
  });
});
