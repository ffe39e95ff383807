import { describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { ENDPOINTS_MAX } from '../../src/config/limits.ts';
import { eventTypes } from '../../src/contract/eventTypes.ts';
import { ApiError } from '../../src/kit/errors.ts';
import { deleteEndpoint } from '../../src/webhooks/changeEndpoint.ts';
import { createEndpoint, type EndpointRequest } from '../../src/webhooks/endpoints.ts';
import { listLiveEndpoints } from '../../src/webhooks/endpointsSql.ts';
import { UNRESOLVED_NOTE } from '../../src/webhooks/endpointUrl.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { type Merchant, openMerchant } from './merchant.ts';

const URL = 'https://shop.example/hooks';
const PUBLIC = '93.184.216.34';

/** As in production, with names that resolve as the test says. */
const create = (
  shop: Merchant,
  over: Partial<EndpointRequest> = {},
  {
    addresses = [PUBLIC],
    unresolved = 'refuse',
  }: { addresses?: string[]; unresolved?: 'refuse' | 'accept' } = {},
) =>
  createEndpoint(
    {
      ...shop.endpointDeps,
      hosts: {
        allowHosts: createAllowList([]),
        unresolved,
        resolve: async () => addresses,
      },
    },
    { businessId: shop.businessId, keyId: shop.keyId, url: URL, eventTypes: [], description: '', ...over },
  );

const refusal = async (outcome: Promise<unknown>): Promise<ApiError> => {
  const error = await outcome.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
};

const tally = (outcomes: readonly PromiseSettledResult<unknown>[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const one of outcomes) {
    const name =
      one.status === 'fulfilled' ? 'made' : one.reason instanceof ApiError ? one.reason.code : 'broken';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

describe('a new endpoint', () => {
  test('is answered whole, its secret this once, and listed with the secret masked', async () => {
    const shop = await openMerchant();
    const made = await create(shop, {
      eventTypes: ['sms.failed', 'ping', 'sms.failed'],
      description: 'Shop backend',
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{12,}$/),
      url: URL,
      description: 'Shop backend',
      secret: expect.stringMatching(/^whsec_[0-9a-z]{32,}$/),
      event_types: ['sms.failed', 'ping'],
      disabled: false,
      consecutive_failures: 0,
      created_at: shop.clock.now(),
      last_success_at: null,
      last_error: null,
    });
    expect(await listLiveEndpoints(shop.pool, shop.businessId)).toEqual([
      { ...made, secret: `whsec_…${made.secret.slice(-4)}` },
    ]);
  });

  test('has a secret of its own that nobody reads in the database', async () => {
    const shop = await openMerchant();
    const [one, two] = [await create(shop), await create(shop, { url: `${URL}/2` })];
    expect(one.secret).not.toBe(two.secret);
    const stored = JSON.stringify(
      await shop.rows('select row_to_json(w)::text as text from webhook_endpoints w'),
    );
    for (const { secret } of [one, two]) {
      expect(stored).not.toContain(secret.slice('whsec_'.length));
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  test('leads the list, which is newest first and holds only this business’s', async () => {
    const shop = await openMerchant();
    const other = await createBusiness(shop.pool, shop.clock, { name: 'Other' });
    await create(shop, { ...other });
    const first = await create(shop);
    shop.advance(1_000);
    const second = await create(shop, { url: `${URL}/2` });
    const listed = await listLiveEndpoints(shop.pool, shop.businessId);
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  test('may take every type of event by name', async () => {
    const shop = await openMerchant();
    expect((await create(shop, { eventTypes: eventTypes.slice() })).event_types).toEqual(eventTypes);
  });
});

describe('what is refused', () => {
  test.each([
    ['http://shop.example/hooks', 'The URL must begin with https://.'],
    ['https://user:pass@shop.example/', 'The URL must not contain a user name or a password.'],
    ['https://shop.example:22/', 'The port of the URL must be 443 or 8443.'],
    [
      'https://127.0.0.1/',
      'The host of the URL must be on the public internet, not at a private or local address.',
    ],
    [
      'https://[::1]/',
      'The host of the URL must be on the public internet, not at a private or local address.',
    ],
    [
      'https://localhost/',
      'The host of the URL must be on the public internet, not at a private or local address.',
    ],
    ['no url', 'The URL must not contain white space or control characters.'],
  ])('the URL %s', async (url, fault) => {
    const shop = await openMerchant();
    expect(await refusal(create(shop, { url }))).toMatchObject({
      code: 'common.validation_failed',
      detail: [{ type: 'value_error', loc: ['body', 'url'], msg: `Value error, ${fault}`, input: url }],
    });
    expect(await listLiveEndpoints(shop.pool, shop.businessId)).toEqual([]);
  });

  test('a name that leads to a private address, though other answers are public', async () => {
    const shop = await openMerchant();
    const { detail } = await refusal(create(shop, {}, { addresses: [PUBLIC, '10.0.0.7'] }));
    expect(detail).toMatchObject([{ type: 'value_error', loc: ['body', 'url'] }]);
  });

  test('a name that does not resolve, in production; otherwise it is accepted with a note', async () => {
    const shop = await openMerchant();
    const { detail } = await refusal(create(shop, {}, { addresses: [] }));
    expect(detail).toMatchObject([{ type: 'value_error', loc: ['body', 'url'] }]);
    const made = await create(shop, {}, { addresses: [], unresolved: 'accept' });
    expect(made.last_error).toBe(UNRESOLVED_NOTE);
    expect((await listLiveEndpoints(shop.pool, shop.businessId))[0]?.last_error).toBe(UNRESOLVED_NOTE);
  });

  test('event types that do not exist, each by its place and together with the URL', async () => {
    const shop = await openMerchant();
    const types = ['message.delivered', 'message.created', 'PING', 'x'.repeat(20_000)];
    const { code, detail } = await refusal(create(shop, { url: 'ftp://shop.example', eventTypes: types }));
    expect(code).toBe('common.validation_failed');
    expect(detail).toMatchObject([
      { type: 'value_error', loc: ['body', 'url'] },
      { type: 'enum', loc: ['body', 'event_types', 1], input: 'message.created' },
      { type: 'enum', loc: ['body', 'event_types', 2], input: 'PING' },
      { type: 'enum', loc: ['body', 'event_types', 3], input: null },
    ]);
    expect(detail[1]).toMatchObject({
      msg: expect.stringMatching(/^Input should be 'message\.delivered', .*, 'order\.updated' or 'ping'$/),
    });
  });

  test('the same URL again, however it is written, until the first is deleted', async () => {
    const shop = await openMerchant();
    const { id } = await create(shop);
    const again = 'HTTPS://SHOP.example:443/hooks#top';
    expect(await refusal(create(shop, { url: again }))).toMatchObject({ code: 'webhook.endpoint_exists' });
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
    expect((await create(shop, { url: again })).url).toBe(URL);
  });

  test('an eleventh endpoint; a deleted one no longer counts; and a duplicate URL is reported before the limit', async () => {
    const shop = await openMerchant();
    const ids: string[] = [];
    for (let number = 0; number < ENDPOINTS_MAX; number += 1)
      ids.push((await create(shop, { url: `${URL}/${number}` })).id);
    expect(await refusal(create(shop))).toMatchObject({ code: 'webhook.endpoint_limit_reached' });
    expect(await refusal(create(shop, { url: `${URL}/3` }))).toMatchObject({
      code: 'webhook.endpoint_exists',
    });
    expect(await refusal(create(shop, { url: 'http://x.example/' }))).toMatchObject({
      code: 'common.validation_failed',
    });
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: ids[0] ?? '' });
    expect((await create(shop)).url).toBe(URL);
  });

  test('exactly what is too much, when 30 ask at once', async () => {
    const shop = await openMerchant();
    const many = Array.from({ length: 30 }, (_, number) => create(shop, { url: `${URL}/${number}` }));
    expect(tally(await Promise.allSettled(many))).toEqual({ made: 10, 'webhook.endpoint_limit_reached': 20 });
  });

  test('all but one, when 20 ask for the same URL at once', async () => {
    const shop = await openMerchant();
    const many = Array.from({ length: 20 }, () => create(shop));
    expect(tally(await Promise.allSettled(many))).toEqual({ made: 1, 'webhook.endpoint_exists': 19 });
  });
});

describe('deleting', () => {
  test('takes the endpoint out of the list', async () => {
    const shop = await openMerchant();
    const { id } = await create(shop);
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
    expect(await listLiveEndpoints(shop.pool, shop.businessId)).toEqual([]);
  });

  test('what is unknown, deleted or another business’s looks the same', async () => {
    const shop = await openMerchant();
    const other = await createBusiness(shop.pool, shop.clock, { name: 'Other' });
    const theirs = await create(shop, { ...other });
    const { id } = await create(shop);
    const remove = (endpointId: string) => deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId });
    await remove(id);
    for (const endpointId of [id, 'nothing', theirs.id]) {
      expect(await refusal(remove(endpointId))).toMatchObject({ code: 'webhook.endpoint_not_found' });
    }
    expect(await listLiveEndpoints(shop.pool, other.businessId)).toHaveLength(1);
  });

  test('twice at once: one deletes', async () => {
    const shop = await openMerchant();
    const { id } = await create(shop);
    const both = [1, 2].map(() => deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id }));
    expect(tally(await Promise.allSettled(both))).toEqual({ made: 1, 'webhook.endpoint_not_found': 1 });
  });
});

test('who made and who deleted an endpoint is in the audit', async () => {
  const shop = await openMerchant();
  const { id } = await create(shop);
  await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
  const entries = await shop.rows(
    "select actor, action, detail from audit_entries where action like 'endpoint.%' order by action",
  );
  const actor = `key:${shop.keyId}`;
  const detail = { endpoint_id: id };
  expect(entries).toEqual([
    { actor, action: 'endpoint.created', detail },
    { actor, action: 'endpoint.deleted', detail },
  ]);
});
