import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { connectAssistant, READING, SENDING } from './assistant.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const createKey = async (access: string): Promise<{ key: string; id: string }> =>
  expectStatus(201, await shop.call('POST', '/api/v1/keys', { body: { access } }));
const keyFor = async (access: string): Promise<string> => (await createKey(access)).key;
const connect = async (key: string, query = '') =>
  connectAssistant(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
const jsonOf = ({ text }: { text: string }) => JSON.parse(text);

describe('reading', () => {
  test('a message comes with its timeline, which says why it was not sent', async () => {
    const { id } = await shop.pushed({ subject: 'Your order', channels: ['sms'], reference: '#1/2' });
    const assistant = await connect(await keyFor('read'));
    expect(await assistant.toolNames()).toEqual(READING);
    const { message, timeline } = jsonOf(await assistant.use('read_message', { id }));
    expect(message).toMatchObject({ id, subject: 'Your order' });
    expect(timeline.items).toContainEqual(
      expect.objectContaining({ kind: 'skipped', channel: 'sms', says: expect.stringMatching(/number/) }),
    );
    expect(jsonOf(await assistant.use('read_order', { reference: '#1/2' }))).toMatchObject({
      reference: '#1/2',
    });
    const { recipient_email: email } = message;
    expect(jsonOf(await assistant.use('list_messages', { recipient_email: email })).items).toHaveLength(1);
    expect(jsonOf(await assistant.use('read_recipient', { email }))).toMatchObject({
      recipient_email: email,
    });
    expect(jsonOf(await assistant.use('read_usage'))).toMatchObject({
      credits: { balance: expect.any(Number) },
    });
  });

  test('every reading tool answers what the API does', async () => {
    const assistant = await connect(await keyFor('read'));
    for (const [tool, path] of [
      ['list_messages', '/api/v1/messages'],
      ['list_orders', '/api/v1/orders'],
      ['list_events', '/api/v1/events'],
      ['list_webhook_endpoints', '/api/v1/webhook-endpoints'],
    ] as const)
      expect((await assistant.use(tool)).text, tool).toBe((await shop.get(path)).text);
    const missing = await assistant.use('list_deliveries', { endpoint_id: 'x', status: 'exhausted' });
    expect([missing.isError, jsonOf(missing).error_code]).toEqual([true, 'webhook.endpoint_not_found']);
  });

  test('the documents are searched', async () => {
    const assistant = await connect(await keyFor('read'));
    const { text } = await assistant.use('search_docs', {
      query: 'How do I check the signature of a webhook?',
    });
    expect(text).toMatch(/^## Check the signature$/m);
    expect((await assistant.use('search_docs', { query: 'zyxwvutsrq' })).text).toBe(
      'Nothing in the documents has these words.',
    );
  });

  test('another shop’s message is not there', async () => {
    const { id } = await (await service.business()).pushed();
    const answer = await (await connect(await keyFor('read'))).use('read_message', { id });
    expect([answer.isError, jsonOf(answer).error_code]).toEqual([true, 'message.not_found']);
  });

  test.each(['.', '..', '../keys', 'a\0b', ''])(
    'a reference that is no part of a path leads nowhere: %j',
    async (reference) => {
      const assistant = await connect(await keyFor('full'));
      const { isError, text } = await assistant.use('read_order', { reference });
      expect(isError).toBe(true);
      expect(text).not.toContain('balance');
    },
  );
});

describe('sending', () => {
  const push = { recipient_email: 'ann@example.com', subject: 'Hello', body: 'It has shipped.' };

  test('once per idempotency key, where it is allowed and the key may', async () => {
    const assistant = await connect(await keyFor('send'), '?allow-send');
    expect(await assistant.toolNames()).toEqual([...READING, ...SENDING].sort());
    expect(jsonOf(await assistant.use('preview_message', push))).toMatchObject({ email: { sending: true } });
    const sent = await assistant.use('push_message', { ...push, idempotency_key: 'order-1' });
    expect(jsonOf(await assistant.use('push_message', { ...push, idempotency_key: 'order-1' }))).toEqual(
      jsonOf(sent),
    );
    const { id } = jsonOf(sent);
    const { items } = JSON.parse((await shop.get('/api/v1/messages')).text);
    expect(items.map((one: { id: string }) => one.id)).toEqual([id]);
    expect(
      jsonOf(await assistant.use('resend_message', { id, channel: 'sms', idempotency_key: 'again' })),
    ).toMatchObject({
      queued: false,
    });
    expect(jsonOf(await assistant.use('retract_message', { id, idempotency_key: 'back' }))).toMatchObject({
      retracted: true,
    });
  });

  test('the faults of a push name its fields', async () => {
    const assistant = await connect(await keyFor('send'), '?allow-send');
    const answer = await assistant.use('push_message', { ...push, send_at: 'soon', idempotency_key: 'k' });
    expect(answer.isError).toBe(true);
    expect(jsonOf(answer)).toMatchObject({
      error_code: 'common.validation_failed',
      detail: [{ loc: ['body', 'send_at'] }],
    });
  });

  test('a key that may only read never writes, whatever is allowed', async () => {
    const { id } = await shop.pushed();
    const assistant = await connect(await keyFor('read'), '?allow-send');
    const inputs = {
      push_message: { ...push, idempotency_key: 'k' },
      resend_message: { id, channel: 'sms', idempotency_key: 'k' },
      retract_message: { id, idempotency_key: 'k' },
      preview_message: push,
    };
    for (const [tool, input] of Object.entries(inputs)) {
      const answer = await assistant.use(tool, input);
      expect([answer.isError, jsonOf(answer).error_code], tool).toEqual([true, 'key.not_permitted']);
    }
  });

  test('without a word the tools are not there, for any key', async () => {
    const assistant = await connect(shop.apiKey);
    expect(await assistant.toolNames()).toEqual(READING);
    const refused = await assistant.client
      .callTool({ name: 'push_message', arguments: { ...push, idempotency_key: 'k' } })
      .then(
        ({ isError }) => (isError ? 'refused' : 'sent'),
        () => 'refused',
      );
    expect(refused).toBe('refused');
    expect(JSON.parse((await shop.get('/api/v1/messages')).text).items).toEqual([]);
  });
});

describe('who asks', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  const ask = (headers: Record<string, string>, body: unknown = initialize, method = 'POST') =>
    fetch(`${service.url}/mcp`, {
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const asShop = (): Record<string, string> => ({ authorization: `Bearer ${shop.apiKey}` });

  test.each([[{}], [{ authorization: 'Bearer way_live_nobody' }], [{ authorization: 'Basic eDp5' }]])(
    'nobody without a valid key: %j',
    async (headers) => {
      const answer = await ask(headers);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await answer.json()).toMatchObject({ error_code: 'business.invalid_api_key' });
    },
  );

  test('a revoked key is refused at the next call', async () => {
    const { key, id } = await createKey('read');
    const assistant = await connect(key);
    await shop.call('DELETE', `/api/v1/keys/${id}`);
    await expect(assistant.use('read_usage')).rejects.toThrow();
  });

  test('clients of the protocol’s older versions are served, too', async () => {
    const answer = await ask(asShop());
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"protocolVersion":"2025-06-18"');
  });

  test.each([
    ['GET', 405],
    ['DELETE', 405],
    ['PUT', 404],
  ])('there are no sessions: %s', async (method, status) => {
    expect((await ask(asShop(), null, method)).status).toBe(status);
  });

  test.each(['', '{', '[]', 'null', '"x"', `[${'{},'.repeat(2_000)}{}]`])(
    'what is no call gets an error and harms nothing: %.10j',
    async (body) => {
      const answer = await ask(asShop(), body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    },
  );

  test('a stream of changes is refused, so that none is held open', async () => {
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };
    expect(await (await ask(asShop(), listen)).text()).toContain('error');
  });

  test('calls count towards the limit of the key', async () => {
    const limited = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
    const { apiKey } = await limited.business();
    const answers = [];
    for (let call = 0; call < 3; call += 1) {
      const answer = await fetch(`${limited.url}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
      });
      answers.push([
        answer.status,
        answer.headers.get('www-authenticate'),
        answer.headers.get('retry-after'),
      ]);
    }
    await limited.close();
    expect(answers.at(-1)).toEqual([429, null, '1']);
  });
});
