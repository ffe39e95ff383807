import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phpFiles } from '../../scripts/client/php.mjs';
import { pythonFiles } from '../../scripts/client/python.mjs';
import { listenOnFreePort } from '../support/freePort.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { eventually } from '../support/waiting.ts';
import { type DrivenCall, type DrivenError, type Driver, startDriver } from './driver.ts';
import { drivenClients } from './languages.ts';

/**
 * Every operation once, through the clients of other languages, beside the same call made by hand. Python's client for asyncio,
 * from which the one that blocks is generated, waits for the long run.
 */
let service: TestService;
let document: OpenApi;
let hooks: string;
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(204).end();
});

beforeAll(async () => {
  const port = await listenOnFreePort(receiver);
  hooks = `http://127.0.0.1:${port}`;
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  document = await openApiOf(service.url);
});
afterAll(async () => {
  receiver.close();
  await service.close();
});

test.each([
  ['python', pythonFiles],
  ['php', phpFiles],
])(
  'what is generated of the client for %s is of the document that the service serves',
  async (name, filesOf) => {
    const served: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
    for (const [path, source] of filesOf(served))
      expect(await readFile(path, 'utf8'), `${path}: run npm run client -- ${name}`).toBe(source);
  },
);

const ANN = 'ann@example.com';
const PUSH = {
  recipient_email: ANN,
  subject: 'Õie order #1001 has shipped 🎁',
  body: 'It left our warehouse this morning.',
  reference: '#1001',
  order_status: 'shipped',
};

for (const { language, kind, title } of drivenClients(shortOrLong(1, 2)))
  describe.skipIf(!language.isThere)(title, () => {
    let driver: Driver;
    let shop: Shop;
    const called = new Set<string>();
    beforeAll(async () => {
      shop = await service.business({ credits: 100 });
      driver = startDriver(language);
    });
    afterAll(() => driver.close());
    type Rest = Omit<DrivenCall, 'kind' | 'base_url' | 'api_key' | 'method' | 'args'>;
    const given = (method: string, args: readonly unknown[], rest: Rest): DrivenCall => {
      called.add(method);
      return { kind, base_url: shop.url, api_key: shop.apiKey, method, args, ...rest };
    };
    /** Its result as an object, which every answer is. */
    const call = async (method: string, args: readonly unknown[] = [], rest: Rest = {}) => {
      const result: Record<string, unknown> = Object(await driver.call(given(method, args, rest)));
      return result;
    };
    const list = async (method: string, args: readonly unknown[] = [], rest: Rest = {}) => {
      const result: Record<string, unknown>[] = Object(await driver.call(given(method, args, rest)));
      return result;
    };
    const failure = async (
      method: string,
      args: readonly unknown[],
      rest: Rest = {},
    ): Promise<DrivenError> => {
      const { error, result } = await driver.run(given(method, args, rest));
      if (error === undefined) throw new Error(`it did not fail, but returned ${JSON.stringify(result)}`);
      return error;
    };
    const raw = async (path: string): Promise<unknown> => (await shop.get(`/api/v1${path}`)).body;
    const expectSame = (method: string, args: readonly unknown[], path: string): Promise<void> =>
      eventually(async () => expect(await call(method, args)).toEqual(await raw(path)));

    test('a push is stored, repeated with its key it is replayed, and it is read', async () => {
      const kwargs = { idempotency_key: 'order-1001' };
      const pushed = await call('messages.push', [PUSH], { kwargs });
      expect(pushed).toMatchObject({ created: true, nudged: true, subject: PUSH.subject });
      expect((await shop.push(PUSH, 'order-1001')).body).toEqual(pushed);
      const again = await call('messages.push', [PUSH], { kwargs, with_response: true });
      expect(again).toMatchObject({ data: pushed, status: 201, replayed: true });
      expect(again.headers).toMatchObject({
        'x-request-id': again.request_id,
        'idempotent-replayed': 'true',
      });
      await expectSame('messages.get', [pushed.id], `/messages/${pushed.id}`);
      await expectSame('messages.timeline', [pushed.id], `/messages/${pushed.id}/timeline`);
      const preview = await call('messages.preview', [PUSH]);
      expect((await shop.call('POST', '/api/v1/messages/preview', { body: PUSH })).body).toEqual(preview);
    });

    test('a batch of any length is split, with its results in order, and the list reads it', async () => {
      const pushes = Array.from({ length: 205 }, (_, index) => ({
        ...PUSH,
        recipient_email: index === 150 ? 'nobody' : `person${index}@example.com`,
        notify: false,
      }));
      const result = await call('messages.push_batch', [pushes], { kwargs: { idempotency_key: 'morning' } });
      const items: Record<string, unknown>[] = Object(result.items);
      expect(result).toMatchObject({ succeeded: 204, failed: 1 });
      expect(items.map(({ index }) => index)).toEqual([...pushes.keys()]);
      expect(items[150]).toMatchObject({ ok: false, error_code: 'common.validation_failed' });
      const replayed = await shop.call('POST', '/api/v1/messages/batch', {
        body: { items: pushes.slice(100, 200) },
        idempotencyKey: 'morning.1',
      });
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      expect(await call('messages.push_batch', [[]])).toEqual({ items: [], succeeded: 0, failed: 0 });
      const listed = await list('messages.list', [], { kwargs: { limit: 100 } });
      expect(listed.map(({ recipient_email }) => recipient_email)).toHaveLength(205);
      const pages = await list('messages.list', [], { kwargs: { limit: 90, status: 'active' }, pages: true });
      expect(pages.map(({ items }) => Object(items).length)).toEqual([90, 90, 25]);
      expect(pages[0]).toEqual(await raw('/messages?limit=90&status=active'));
    });

    test('retracting and resending', async () => {
      const { id } = await call('messages.push', [
        { ...PUSH, recipient_phone: '+37255512345', channels: ['sms'] },
      ]);
      const refused = await failure('messages.resend_sms', [id]);
      expect([refused.name, refused.code]).toEqual(['ConflictError', 'sms.already_sent']);
      expect(await call('messages.resend_whatsapp', [id])).toMatchObject({ queued: false });
      expect(await call('messages.retract', [id])).toMatchObject({ retracted: true });
    });

    test('orders, shipments and tracking events, under a reference of any characters', async () => {
      const reference = 'A/1#x';
      const path = `/orders/${encodeURIComponent(reference)}`;
      await call('messages.push', [{ ...PUSH, reference, shipment: { tracking_number: 'JD 01' } }]);
      const put = await call('orders.put_shipment', [reference, 'JD-02', { carrier: 'DPD' }]);
      expect(put).toMatchObject({ tracking_number: 'JD-02', carrier: 'DPD' });
      await expectSame('orders.get', [reference], path);
      // Of the service's clock, which tests move forward.
      const { now: at } = await call('sandbox.clock');
      const event = { tracking_number: 'JD 01', status: 'out_for_delivery', at };
      const told = await call('orders.report_tracking', [reference, event], {
        kwargs: { idempotency_key: 'jd' },
      });
      expect(told).toMatchObject({ is_first: true, nudged: true });
      const listed = await list('orders.list', [], {
        kwargs: { status: 'out_for_delivery', recipient_email: ANN },
      });
      expect(listed).toMatchObject([{ reference }]);
      const refused = await failure('orders.report_tracking', ['nothing', event]);
      expect([refused.name, refused.fields]).toMatchObject([
        'ValidationError',
        [{ field: 'recipient_email', type: 'missing_recipient' }],
      ]);
    });

    test('texts: listed, set, and returned to ours', async () => {
      const ours = await call('texts.list');
      expect(ours).toEqual(await raw('/texts'));
      const text = { subject: '{{ order.number }} saabub täna', body: 'Tere!' };
      expect(await call('texts.set', ['out_for_delivery', 'et', text])).toMatchObject(text);
      await call('texts.reset', ['out_for_delivery', 'et']);
      expect(await call('texts.list')).toEqual(ours);
    });

    test('recipients: what is known, the number, the export and the erasures', async () => {
      await expectSame('recipients.get', [ANN], `/recipients/${ANN}`);
      expect(await call('recipients.set_phone', [ANN, '+37255512346'])).toEqual(
        await raw(`/recipients/${ANN}/sms`),
      );
      await call('recipients.clear_phone', [ANN]);
      expect(await call('recipients.sms', [ANN])).toMatchObject({ phone: null });
      expect(await call('recipients.export', [ANN])).toMatchObject({ email: ANN });
      const receipt = await call('recipients.erase_whatsapp', [ANN], {
        kwargs: { idempotency_key: 'erase' },
      });
      expect((await shop.post(`/api/v1/recipients/${ANN}/whatsapp/erase`, 'erase')).body).toEqual(receipt);
      await call('recipients.erase', [ANN]);
      expect((await failure('recipients.get', [ANN])).name).toBe('NotFoundError');
    });

    test('keys, credits and usage', async () => {
      const made = await call('keys.create', [{ name: 'Shop backend', access: 'read' }]);
      await expectSame('keys.list', [], '/keys');
      expect(await driver.call(given('keys.revoke', [made.id], {}))).toBe(null);
      const reader = { ...given('credits.get', [], {}), api_key: String(made.key) };
      expect((await driver.run(reader)).error?.name).toBe('AuthenticationError');
      await expectSame('credits.get', [], '/credits');
      const usage = await call('usage.get', [], { kwargs: { interval: 'month', to: '2026-12-31' } });
      expect(usage).toEqual(await raw('/usage?interval=month&to=2026-12-31'));
    });

    test('webhook endpoints: created, changed, tested, listed, replayed, rotated and deleted', async () => {
      const made = await call('webhook_endpoints.create', [{ url: `${hooks}/a` }]);
      expect(await call('webhook_endpoints.test', [made.id])).toMatchObject({ delivered: true });
      expect(await call('webhook_endpoints.update', [made.id, { url: `${hooks}/b` }])).toMatchObject({
        url: `${hooks}/b`,
      });
      await expectSame('webhook_endpoints.list', [], '/webhook-endpoints');
      await call('messages.push', [{ ...PUSH, recipient_email: 'carl@example.com' }]);
      await eventually(async () => {
        const kwargs = { status: 'delivered', limit: 1 };
        const delivered = await list('webhook_endpoints.deliveries', [made.id], { kwargs });
        expect(delivered.map(({ type }) => type)).toContain('message.delivered');
      });
      const since = new Date(Date.now() - 3_600_000).toISOString();
      const replayed = await call('webhook_endpoints.replay', [made.id, { since, only: 'all' }]);
      expect(replayed.queued).toBeGreaterThan(0);
      const rotated = await call('webhook_endpoints.rotate_secret', [made.id, { switch_after_minutes: 0 }]);
      expect(rotated.secret).not.toBe(made.secret);
      await call('webhook_endpoints.delete', [made.id]);
      expect(await call('webhook_endpoints.list')).toEqual({ items: [] });
    });

    test('events: a page as it is, the list to its end, and what a follower sees from a cursor', async () => {
      await service.advance({ minutes: 1 });
      const { items: all }: { items: { id: string; type: string }[] } = Object(
        await raw('/events?limit=1000'),
      );
      expect(await call('events.page', [], { kwargs: { limit: 2 } })).toEqual(await raw('/events?limit=2'));
      expect(await list('events.list', [], { kwargs: { limit: 3 } })).toEqual(all);
      const types = ['order.updated', 'message.delivered'];
      const chosen = await list('events.list', [], { kwargs: { types } });
      expect(chosen).toEqual(all.filter(({ type }) => types.includes(type)));
      const first = await call('events.follow', [], { kwargs: { limit: 2 }, take: 2 });
      expect(first.items).toEqual(all.slice(0, 2));
      const rest = await call('events.follow', [], {
        kwargs: { after: first.cursor, limit: 3 },
        take: all.length - 2,
      });
      expect(rest.items).toEqual(all.slice(2));
      const next = call('events.follow', [], { kwargs: { after: rest.cursor, wait_seconds: 5 }, take: 1 });
      await shop.pushed({ recipient_email: 'later@example.com' });
      await service.advance({ seconds: 5 });
      const later: unknown = Object(await raw('/events?limit=1000')).items.slice(all.length, all.length + 1);
      expect((await next).items).toEqual(later);
      const wrong = await failure('events.follow', [], { kwargs: { after: 'x' }, take: 1 });
      expect(wrong.name).toBe('ValidationError');
    });

    test('the sandbox: what the customer got, said and did not get', async () => {
      const person = { recipient_email: 'silent+1@example.com', recipient_phone: '+37255512399' };
      const { id } = await call('messages.push', [{ ...PUSH, ...person, channels: ['sms'] }]);
      await call('sandbox.advance', [], { kwargs: { minutes: 1 } });
      const [text] = await list('sandbox.outbox', [], {
        kwargs: { channel: 'sms', to: person.recipient_phone },
      });
      expect(text).toMatchObject({ message_id: id, text: expect.stringContaining('#1001') });
      const stop = { from_: person.recipient_phone, body: 'STOP', business_id: shop.businessId };
      expect(await call('sandbox.inbound_sms', [], { kwargs: stop })).toMatchObject({ received: true });
      expect(await call('recipients.get', [person.recipient_email])).toMatchObject({
        sms: { status: 'stopped' },
      });
      await call('sandbox.inbound_whatsapp', [], { kwargs: { ...stop, body: 'Thank you!' } });
      const [mail] = await list('sandbox.outbox', [], { kwargs: { to: person.recipient_email } });
      const report = { provider_id: mail?.provider_id, status: 'bounced' };
      expect(await call('sandbox.report', [], { kwargs: report })).toEqual({ ...report, known: true });
      const { now } = await call('sandbox.clock');
      const back = await failure('sandbox.advance_to', [now]);
      expect(back.message).toContain('to: Value error, the clock cannot go back');
    });

    test('a business of the test’s own, whose customer opens the message in time', async () => {
      const own = await call('sandbox.create_business', [], { kwargs: { credits: 3 } });
      const ofOwn = async (method: string, args: readonly unknown[] = [], kwargs = {}) => {
        const api_key = String(own.api_key);
        return Object(await driver.call({ ...given(method, args, { kwargs }), api_key }));
      };
      expect(await ofOwn('credits.get')).toMatchObject({ balance: 3 });
      const { id } = await ofOwn('messages.push', [
        {
          ...PUSH,
          recipient_phone: '+37255512388',
          channels: ['sms'],
          escalate_if_unread_after_minutes: 120,
        },
      ]);
      await ofOwn('messages.push', [{ ...PUSH, subject: 'Another one' }]);
      expect(await ofOwn('sandbox.settle')).toMatchObject({ now: expect.any(String) });
      const sent = await ofOwn('sandbox.outbox', [], { message_id: id });
      expect(sent).toMatchObject([{ channel: 'email', message_id: id, business_id: own.business_id }]);
      expect(await ofOwn('sandbox.open', [id])).toEqual({ opened: true });
      expect((await ofOwn('messages.get', [id])).delivery.opened).toBe(true);
      await ofOwn('sandbox.advance', [], { hours: 3 });
      expect(await ofOwn('sandbox.outbox', [], { message_id: id, channel: 'sms' })).toEqual([]);
      expect((await failure('sandbox.open', ['nothing'])).message).toContain('no message has this id');
    });

    test('a refused push says which fields are at fault', async () => {
      const error = await failure('messages.push', [
        { ...PUSH, subject: 'x'.repeat(301), channels: ['fax'] },
      ]);
      expect(error.names).toEqual(expect.arrayContaining(['ValidationError', 'WaypostError']));
      expect(error.fields.map(({ field, type }) => [field, type])).toEqual([
        ['subject', 'string_too_long'],
        ['channels[0]', 'enum'],
      ]);
      expect(error.request_id).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      const huge = await failure('messages.push', [{ ...PUSH, body: 'x'.repeat(3_000_000) }]);
      expect([huge.name, huge.status]).toEqual(['RequestTooLargeError', 413]);
    });

    test('there is a method for every operation of the document, and each was called', () => {
      expect(called.size).toBeGreaterThanOrEqual(document.operations.length);
    });
  });
