import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import type { Send } from '../../src/outbox/send.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import {
  httpEmailEnv,
  httpSmsEnv,
  httpWhatsappEnv,
  PROVIDER_SECRETS,
  SHARED_ENV,
} from '../support/providerEnvironments.ts';
import { startService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import {
  acceptedSend,
  type CallbackService,
  currentSend,
  eventTypesOf,
  recipientOf,
  suppressionReasons,
} from './callbackServices.ts';
import { postAsReceiver, receiverStatus } from './callers.ts';
import { metricValue } from './providerService.ts';

let house: CallbackService;
/** What the receiver was sent; it takes everything. */
const taken: Record<string, unknown>[] = [];
const receiver = createServer(async (request, response) => {
  taken.push(Object(JSON.parse(await text(request))));
  response.writeHead(202).end(JSON.stringify({ status: 'accepted', id: randomUUID() }));
});
beforeAll(async () => {
  const url = `http://127.0.0.1:${await listenOnFreePort(receiver)}`;
  const service = await startService({ ...httpEmailEnv(url), ...httpSmsEnv(url), ...httpWhatsappEnv(url) });
  house = { service, shop: await service.business({ credits: 100 }) };
});
afterAll(async () => {
  await house.service.close();
  receiver.closeAllConnections();
  receiver.close();
});

const counted = (outcome: string) =>
  metricValue(house.service.url, 'waypost_callbacks_total', { provider: 'http', outcome });

const STOPPED: Partial<Send> = { state: 'rejected', error_code: 'stopped', charged: false };
const ESP_REFUSED: Partial<Send> = { state: 'failed', reason: 'esp_refused', error_code: 'http_no_route' };

test.each<[Channel, string, Partial<Send>, string[]]>([
  ['email', 'sent', { state: 'accepted' }, []],
  ['email', 'deferred', { state: 'accepted' }, []],
  ['email', 'delivered', { state: 'delivered' }, []],
  ['email', 'failed', ESP_REFUSED, []],
  ['email', 'bounced', { state: 'failed', reason: 'bounced' }, ['bounce']],
  ['email', 'opted_out', { state: 'failed', reason: 'bounced' }, ['bounce']],
  ['email', 'complained', { state: 'delivered' }, ['complaint']],
  ['sms', 'delivered', { state: 'delivered', charged: true }, []],
  ['sms', 'read', { state: 'delivered' }, []],
  ['sms', 'failed', { state: 'failed', error_code: 'http_no_route', charged: true }, []],
  ['sms', 'bounced', { state: 'failed', error_code: 'http_no_route' }, []],
  ['sms', 'opted_out', STOPPED, []],
  ['whatsapp', 'read', { state: 'read' }, []],
  ['whatsapp', 'bounced', { state: 'rejected', reason: 'not_reachable', charged: false }, []],
  ['whatsapp', 'opted_out', STOPPED, []],
])('of %s: %s', async (channel, status, expected, suppressed) => {
  const send = await acceptedSend(house, channel);
  const { url } = house.service;
  const answer = await receiverStatus(url, channel, send.reference, status, { code: 'no_route' });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(await currentSend(house, send)).toMatchObject(expected);
  expect(await suppressionReasons(house, send)).toEqual(suppressed);
  if (status === 'opted_out' && channel !== 'email')
    expect(await recipientOf(house, send)).toMatchObject({ [`${channel}_status`]: 'stopped' });
});

test('a status that comes again, or about nothing that we know, is answered 204 and changes nothing', async () => {
  const send = await acceptedSend(house, 'sms');
  const { url } = house.service;
  const id = randomUUID();
  const tell = (status: string, reference = send.reference) =>
    receiverStatus(url, 'sms', reference, status, { id });
  const before = await counted('repeated');
  expect((await tell('delivered')).status).toBe(204);
  expect((await tell('failed')).status).toBe(204);
  expect(await counted('repeated')).toBe(before + 1);
  expect(await currentSend(house, send)).toMatchObject({ state: 'delivered' });
  expect(await eventTypesOf(house, send)).toEqual(['sms.delivered']);

  const unknown = await counted('unknown');
  expect((await receiverStatus(url, 'sms', 'nobody-nothing', 'delivered')).status).toBe(204);
  expect(await counted('unknown')).toBe(unknown + 1);
});

const inbound = (channel: 'sms' | 'whatsapp', from: string, said: string, id: string = randomUUID()) => ({
  v: 1,
  type: 'inbound',
  channel,
  from,
  to: SHARED_ENV[channel],
  text: said,
  id,
  at: '2026-08-20T09:15:00Z',
});

describe('what people write', () => {
  test('STOP as a text, once however often it is repeated', async () => {
    const send = await acceptedSend(house, 'sms');
    const { url } = house.service;
    const stop = inbound('sms', send.phone, 'STOP');
    expect((await postAsReceiver(url, stop)).status).toBe(204);
    expect(await recipientOf(house, send)).toMatchObject({ sms_status: 'stopped', sms_stopped_by: 'text' });
    await postAsReceiver(url, inbound('sms', send.phone, 'START'));
    await postAsReceiver(url, stop);
    expect(await recipientOf(house, send)).toMatchObject({ sms_status: 'active' });
  });

  test('a WhatsApp reply is kept once, and acknowledged in free text', async () => {
    const send = await acceptedSend(house, 'whatsapp');
    const reply = inbound('whatsapp', send.phone, 'Where is it?\u0000');
    for (let times = 0; times < 2; times += 1)
      expect((await postAsReceiver(house.service.url, reply)).status).toBe(204);
    const { rows } = await house.service.pool.query(
      'select body from whatsapp_replies where recipient_id = $1',
      [send.recipient_id],
    );
    expect(rows).toEqual([{ body: 'Where is it?' }]);
    const acknowledged = () =>
      taken.filter(
        ({ to, channel, text: said }) => to === send.phone && channel === 'whatsapp' && said !== undefined,
      );
    await eventually(() => expect(acknowledged()).toHaveLength(1));
  });
});

describe('a callback changes nothing', () => {
  const ago = (seconds: number) => ({ at: new Date(Date.now() - seconds * 1_000) });
  test.each<[string, number, () => Parameters<typeof postAsReceiver>[2]]>([
    ['signed with the secret of the requests', 401, () => ({ secret: PROVIDER_SECRETS.http })],
    ['signed long ago', 401, () => ago(310)],
    ['signed in time to come', 401, () => ago(-310)],
    ['whose id is endless', 422, () => ({ id: 'x'.repeat(129) })],
  ])('%s: %i', async (_what, status, how) => {
    const send = await acceptedSend(house, 'sms');
    const event = { v: 1, type: 'status', id: `sms_${send.reference}_1`, status: 'delivered' };
    expect((await postAsReceiver(house.service.url, event, how())).status).toBe(status);
    expect(await currentSend(house, send)).toMatchObject({ state: 'accepted' });
  });

  test.each<[string, unknown]>([
    ['an object of nothing', {}],
    ['no object', 'hello'],
    ['a later version', { ...inbound('sms', '+447700900123', 'STOP'), v: 2 }],
    ['a status of no kind', { v: 1, type: 'status', id: 'sms_a-b_1', status: 'gone' }],
  ])('that is %s: 422', async (_what, event) => {
    const before = await counted('not_understood');
    expect((await postAsReceiver(house.service.url, event)).status).toBe(422);
    expect(await counted('not_understood')).toBe(before + 1);
  });

  test('without a signature', async () => {
    const answer = await fetch(`${house.service.url}/callbacks/http`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  });
});
