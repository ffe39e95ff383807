import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DescribedOperation, openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { FULL_PUSH } from './channelOutcomes.ts';
import { recordUnsubscribe } from './recipientEvents.ts';

const HOOK = '127.0.0.1:9';

let service: TestService;
/** Whose things they are, and who is after them. */
let owner: Shop;
let stranger: Shop;
const ids = {
  message: '',
  key: '',
  endpoint: '',
  recipient: 'ann@example.com',
  business: '',
  order: 'OWN-77',
};

beforeAll(async () => {
  service = await startService({ ROLES: 'api', WEBHOOK_ALLOW_HOSTS: HOOK });
  owner = await service.business({ credits: 10 });
  stranger = await service.business({ credits: 10 });
  ids.message = (
    await owner.pushed({ ...FULL_PUSH, reference: ids.order, channels: ['sms', 'whatsapp'] })
  ).id;
  ids.business = owner.businessId;
  // A read applies what the push changed of its order, which is an event.
  expectStatus(200, await owner.get('/api/v1/orders'));
  const idOf = (text: string): string => Object(JSON.parse(text)).id;
  ids.key = idOf((await owner.call('POST', '/api/v1/keys')).text);
  ids.endpoint = idOf(
    (await owner.call('POST', '/api/v1/webhook-endpoints', { body: { url: `http://${HOOK}/hook` } })).text,
  );
});
afterAll(() => service.close());

/** An id of the same form that is nobody's. */
const UNKNOWN: Record<keyof typeof ids, string> = {
  message: 'mh0q2z4k00x7c1v9b3n5m8l2',
  key: 'mh0q2z4k00x7c1v9b3n5m8l2',
  endpoint: 'mh0q2z4k00x7c1v9b3n5m8l2',
  recipient: 'nobody@example.com',
  business: 'mh0q2z4k00x7c1v9b3n5m8l2',
  order: 'OWN-78',
};
const kinds = ['message', 'key', 'endpoint', 'recipient', 'business', 'order'] as const;

/** What a call answers, apart from the id itself, which faults repeat. */
async function answerTo(
  { method, path, parameters }: DescribedOperation,
  id: string,
): Promise<[number, string]> {
  const needsKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const called = path.replace('{tracking_number}', 'CC1').replace(/\{\w+\}/, encodeURIComponent(id));
  const answer = await stranger.call(method, called, {
    ...(needsKey && { idempotencyKey: randomUUID() }),
    ...(method === 'PUT' && { body: { phone: '+37255550177' } }),
    ...(path.endsWith('/replay') && { body: { since: '2026-01-01T00:00:00Z', only: 'all' } }),
  });
  return [answer.status, answer.text.replaceAll(id, '<id>')];
}

/** Everything of the owner's that anyone can see. */
async function belongings(): Promise<string[]> {
  const paths = [
    `/api/v1/messages/${ids.message}`,
    `/api/v1/messages/${ids.message}/timeline`,
    '/api/v1/messages',
    '/api/v1/usage',
    '/api/v1/keys',
    '/api/v1/credits',
    `/api/v1/recipients/${ids.recipient}/sms`,
    `/api/v1/recipients/${ids.recipient}`,
    '/api/v1/webhook-endpoints',
    '/api/v1/events',
    '/api/v1/orders',
    `/api/v1/orders/${ids.order}`,
    `/api/v1/webhook-endpoints/${ids.endpoint}/deliveries`,
  ];
  return Promise.all(paths.map(async (path) => expectStatus<unknown>(200, await owner.get(path)))).then(
    (all) => all.map((one) => JSON.stringify(one)),
  );
}

describe('5.3 an id of another business looks like no id at all', () => {
  test('on every operation, with every kind of id: the same bytes as for an unknown one', async () => {
    const { operations } = await openApiOf(service.url);
    const withId = operations.filter(({ path }) => path.includes('{'));
    expect(withId.length).toBeGreaterThanOrEqual(10);
    const before = await belongings();
    for (const operation of withId) {
      for (const kind of kinds) {
        const [foreign, unknown] = [
          await answerTo(operation, ids[kind]),
          await answerTo(operation, UNKNOWN[kind]),
        ];
        expect([operation.id, kind, ...foreign]).toEqual([operation.id, kind, ...unknown]);
      }
    }
    expect(await belongings()).toEqual(before);
  });

  test('the answers carry no other header, either', async () => {
    const names = async (id: string) => {
      const { headers } = await stranger.get(`/api/v1/messages/${id}`);
      return [...headers].map(([name]) => name);
    };
    expect(await names(ids.message)).toEqual(await names(UNKNOWN.message));
  });

  test('with one idempotency key: a foreign message and an unknown one are both "another body", and both are not found', async () => {
    const key = randomUUID();
    const first = await stranger.post(`/api/v1/messages/${ids.message}/retract`, key);
    expect([first.status, first.body]).toMatchObject([404, { error_code: 'message.not_found' }]);
    const replay = await stranger.post(`/api/v1/messages/${ids.message}/retract`, key);
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });
});

describe('what one business has says nothing to another', () => {
  test('lists, balances and filters show one’s own', async () => {
    expect((await stranger.get('/api/v1/messages')).body).toEqual({ items: [], next_cursor: null });
    expect((await stranger.get(`/api/v1/messages?recipient_email=${ids.recipient}`)).body).toEqual({
      items: [],
      next_cursor: null,
    });
    for (const filter of ['reference=%231001', 'status=active', 'created_after=2000-01-01T00:00:00Z'])
      expect((await stranger.get(`/api/v1/messages?${filter}`)).body).toEqual({
        items: [],
        next_cursor: null,
      });
    expect((await stranger.get('/api/v1/webhook-endpoints')).body).toEqual({ items: [] });
    expect((await stranger.get('/api/v1/keys')).text).not.toContain(ids.key);
    expect((await stranger.get('/api/v1/usage')).body).toMatchObject({
      total: { messages: 0, sms: { skipped: 0 } },
    });
  });

  test('a cursor from elsewhere is a place in time, and shows one’s own', async () => {
    await owner.pushed();
    const { next_cursor }: { next_cursor: string } = expectStatus(
      200,
      await owner.get('/api/v1/messages?limit=1'),
    );
    expect((await stranger.get(`/api/v1/messages?cursor=${next_cursor}`)).body).toEqual({
      items: [],
      next_cursor: null,
    });
  });

  test('events, their filters and waits show one’s own, and a cursor of the feed from elsewhere is refused', async () => {
    await recordUnsubscribe(service, owner, 'gone@example.com');
    const { id } = await owner.pushed({ recipient_email: 'gone@example.com' });
    const feed: { items: unknown[]; next: string } = expectStatus(
      200,
      await owner.get(`/api/v1/events?message_id=${id}`),
    );
    expect(feed.items).toHaveLength(1);
    for (const query of ['', `message_id=${id}`, 'types=message.not_sent', 'wait=1'])
      expect((await stranger.get(`/api/v1/events?${query}`)).body).toMatchObject({
        items: [],
        has_more: false,
      });
    const refusal = async (after: string) => {
      const { status, text } = await stranger.get(`/api/v1/events?after=${after}`);
      return [status, text.replaceAll(after, '<cursor>')];
    };
    expect(await refusal(feed.next)).toEqual(await refusal('nobodys'));
  });

  test('naming a foreign message obsolete answers like naming an unknown one', async () => {
    const push = async (obsolete: string) => {
      const {
        id: _,
        created_at: _at,
        updated_at: _then,
        ...rest
      } = await stranger.pushed({ obsoletes: [obsolete] });
      return rest;
    };
    expect(await push(ids.message)).toEqual(await push(UNKNOWN.message));
    expect((await owner.get(`/api/v1/messages/${ids.message}`)).body).toMatchObject({ status: 'active' });
  });

  test('a person, a number and consent of one business are unknown to the other', async () => {
    const push = {
      ...FULL_PUSH,
      whatsapp_opt_in: null,
      recipient_phone: null,
      channels: ['sms', 'whatsapp'],
    };
    const pushed = await stranger.pushed(push);
    expect([pushed.sms?.skipped_reason, pushed.whatsapp?.skipped_reason]).toEqual(['no_phone', 'no_phone']);
    // The same number, held elsewhere, is no conflict.
    const numbered = await stranger.pushed({
      ...push,
      recipient_email: 'bob@example.com',
      recipient_phone: FULL_PUSH.recipient_phone,
    });
    expect([numbered.sms?.queued, numbered.whatsapp?.skipped_reason]).toEqual([true, 'not_opted_in']);
  });
});
