import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { isSignedWebhook, standardHeaders, webhookKey } from '../../src/kit/standardWebhooks.ts';
import { compose, type NudgeParts } from '../../src/nudges/compose.ts';
import type { ProviderResponse } from '../../src/providers/provider.ts';
import { PROVIDER_SECRETS, SHARED_ENV } from '../support/providerEnvironments.ts';
import {
  httpEmailAdapter,
  httpSmsAdapter,
  httpSmsAdapterWith,
  httpWhatsappAdapter,
  receiverTook,
  receiverRefused as refused,
} from './adapters/http.ts';
import type { MockReply, ReceivedRequest } from './mockApi.ts';

const busy = (status: number, retryAfter?: string): MockReply => ({
  status,
  body: { status: 'busy' },
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
});

function verdict(answer: ProviderResponse): string {
  if (answer.outcome === 'refused') return `refused: ${answer.because}`;
  return answer.outcome === 'not_set_up' ? `not set up: ${answer.concerns}` : answer.outcome;
}

describe('the answers of the protocol, and all others', () => {
  test.each<[MockReply, string]>([
    [{ status: 200, body: { status: 'accepted', id: 'x'.repeat(128) } }, 'accepted'],
    [{ status: 202, body: { status: 'accepted', id: 7 } }, 'accepted'],
    [{ status: 202, body: { status: 'accepted', id: 'x'.repeat(129) } }, 'unknown'],
    [{ status: 202, body: { status: 'accepted', id: 'a\u0000' } }, 'unknown'],
    [{ status: 202, body: { status: 'accepted', id: '' } }, 'unknown'],
    [{ status: 202, body: { status: 'accepted' } }, 'unknown'],
    [{ status: 201, body: { status: 'accepted', id: 'm1' } }, 'unknown'],
    [{ status: 202, body: { id: 'm1' } }, 'unknown'],
    [{ status: 200, body: 'OK' }, 'unknown'],
    [{ status: 204 }, 'unknown'],
    [refused('content'), 'refused: message'],
    [refused('other'), 'refused: message'],
    [refused('a later one'), 'refused: message'],
    [{ status: 422, body: 'no' }, 'unknown'],
    [{ status: 409, body: { status: 'not_taken' } }, 'not_taken'],
    [{ status: 409, body: {} }, 'unknown'],
    [busy(429), 'refused: busy'],
    [busy(503), 'refused: busy'],
    [busy(500), 'unknown'],
    [{ status: 429, body: 'slow down' }, 'unknown'],
    [{ status: 503, body: '<html>' }, 'unknown'],
    [{ status: 400, body: { status: 'refused', code: 'content' } }, 'unknown'],
    [{ status: 404 }, 'unknown'],
    [{ status: 302, headers: { location: '/elsewhere' } }, 'unknown'],
    [{ status: 401 }, 'not set up: account'],
    [{ status: 403 }, 'not set up: account'],
    [{ status: 403, body: { status: 'refused', code: 'sender' } }, 'not set up: sender'],
    ['closes the connection during its answer', 'unknown'],
    ['closes the connection before the body', 'unknown'],
    ['answers without end', 'unknown'],
  ])('%j', async (reply, expected) => {
    const bench = await httpSmsAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
    expect(bench.taken.length).toBeLessThanOrEqual(1);
  });

  test.each([
    ['bad_address', 'email', httpEmailAdapter, 'refused: address'],
    ['bad_address', 'sms', httpSmsAdapter, 'refused: message'],
    ['bad_address', 'whatsapp', httpWhatsappAdapter, 'refused: not_on_whatsapp'],
    ['opted_out', 'email', httpEmailAdapter, 'refused: address'],
    ['opted_out', 'sms', httpSmsAdapter, 'refused: stopped'],
    ['opted_out', 'whatsapp', httpWhatsappAdapter, 'refused: stopped'],
  ] as const)('%s, on %s', async (code, _channel, adapter, expected) => {
    const bench = await adapter.openWith(refused(code));
    const answer = await bench.send();
    expect(verdict(answer)).toBe(expected);
    expect(answer).toMatchObject({ errorCode: `http_${code}` });
  });

  test.each([
    ['90', 90_000],
    ['86400', 3_600_000],
    ['Wed, 18 Nov 2026 09:15:30 GMT', 0],
    [undefined, 0],
  ])('Retry-After: %s', async (retryAfter, retryAfterMs) => {
    const bench = await httpSmsAdapter.openWith(busy(503, retryAfter));
    expect(await bench.send()).toMatchObject({ retryAfterMs });
  });
});

test('the worked example of the page', () => {
  const page = readFileSync(new URL('../../docs/providers/http.md', import.meta.url), 'utf8');
  const value = (part: string) => new RegExp(`^\\| ${part} +\\| \`(.*)\` +\\|$`, 'm').exec(page)?.[1] ?? '';
  const seconds = Number(value('`webhook-timestamp`'));
  const signed = standardHeaders(
    [webhookKey(value('secret'))],
    value('`webhook-id`'),
    seconds,
    value('body'),
  );
  expect(signed['webhook-signature']).toBe('v1,xu7ZG4LAGBrUMePAbf88JKV2lU+env6LWFcJBdQbegE=');
  expect(value('`webhook-signature`')).toBe(signed['webhook-signature']);
});

describe('a receiver that remembers ids', () => {
  const REMEMBERING = httpSmsAdapterWith({ HTTP_PROVIDER_REPEATS: 'yes' });

  test('is asked again with the same id and the same bytes, and says what became of the first call', async () => {
    const bench = await REMEMBERING.openWith('closes the connection after the body');
    setTimeout(() => bench.reply(receiverTook), 100);
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: 'm1' });
    const { taken } = bench;
    const whole = ({ headers, body }: ReceivedRequest) => [
      headers['webhook-id'],
      headers['webhook-signature'],
      body,
    ];
    expect(taken.map(whole)).toEqual([taken[0], taken[0]].map((one) => one && whole(one)));
  });

  test.each<[MockReply]>([[busy(503)], [{ status: 409, body: { status: 'not_taken' } }], [{ status: 401 }]])(
    'that puts the repetition off with %j says nothing of the first call',
    async (later) => {
      const bench = await REMEMBERING.openWith('closes the connection after the body');
      setTimeout(() => bench.reply(later), 100);
      expect(await bench.send()).toMatchObject({ outcome: 'unknown' });
      expect(bench.taken.length).toBeGreaterThan(1);
    },
  );
});

describe('the request', () => {
  const content = async (adapter: typeof httpSmsAdapter, change = {}) => {
    const bench = await adapter.openWith(receiverTook);
    await bench.send(change);
    return JSON.parse(bench.taken[0]?.body ?? '');
  };
  const common = {
    v: 1,
    purpose: 'transactional',
    callback: 'https://waypost.example/callbacks/http',
    expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  };

  test('of a mail', async () => {
    expect(await content(httpEmailAdapter)).toEqual({
      ...common,
      channel: 'email',
      to: 'ann@example.com',
      from: { address: SHARED_ENV.email, name: 'Zoë’s Café, "Tallinn"' },
      reply_to: null,
      subject: 'Your order #1001 has shipped ✓',
      text: expect.stringContaining('/i/'),
      html: expect.stringContaining('<p>'),
      headers: expect.objectContaining({ 'List-Unsubscribe': expect.any(String) }),
    });
  });

  test('of a text', async () => {
    const text = expect.stringContaining('has shipped');
    expect(await content(httpSmsAdapter)).toEqual({
      ...common,
      channel: 'sms',
      to: '+447700900123',
      from: SHARED_ENV.sms,
      text,
    });
  });

  test('of a template, and of an answer to a reply', async () => {
    const whatsapp = { ...common, channel: 'whatsapp', to: '+447700900123', from: SHARED_ENV.whatsapp };
    expect(await content(httpWhatsappAdapter)).toEqual({
      ...whatsapp,
      template: {
        name: 'waypost_order_shipped_v1',
        language: 'en',
        parameters: ['Acme Books', '#1001', expect.stringContaining('/i/')],
      },
    });
    expect(await content(httpWhatsappAdapter, { template: null })).toEqual({
      ...whatsapp,
      text: 'Update from Acme Books: your order #1001 has shipped.',
    });
  });

  test('is signed with each secret, and its id names the attempt', async () => {
    const other = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const rotating = httpSmsAdapterWith({ HTTP_PROVIDER_SECRET: `${PROVIDER_SECRETS.http}, ${other}` });
    const bench = await rotating.openWith(receiverTook);
    await bench.send();
    await bench.send({ attempt: 2 });
    const [first, second] = bench.taken;
    const header = (name: string) => String(first?.headers[`webhook-${name}`]);
    const headers = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') };
    for (const secret of [PROVIDER_SECRETS.http, other])
      expect(isSignedWebhook(secret, headers, Buffer.from(first?.body ?? ''), systemClock.now())).toBe(true);
    expect(headers.id).toBe('sms_mwh91ugabiz-mwh91uga00send_1');
    expect(second?.headers['webhook-id']).toBe('sms_mwh91ugabiz-mwh91uga00send_2');
  });

  test.each(['\u0001', '"', '&', '😀'])(
    'stays within 256 KiB for the longest mail, full of %j',
    async (character) => {
      const bench = await httpEmailAdapter.openWith(receiverTook);
      await bench.send(longestMail(character));
      const bytes = Buffer.byteLength(bench.taken[0]?.body ?? '');
      expect(bytes).toBeGreaterThan(20_000);
      expect(bytes).toBeLessThan(256 * 1_024);
    },
  );
});

/** A forwarded reply is the longest mail: others hold the first lines of a text alone. */
function longestMail(character: string) {
  const parts: NudgeParts = {
    reference: 'b-s',
    attempt: 1,
    businessId: 'b',
    sendId: 's',
    messageId: null,
    recipientId: 'r',
    channel: 'email',
    purpose: 'reply_forward',
    email: 'ann@example.com',
    phone: '+447700900123',
    subject: null,
    body: null,
    orderReference: null,
    orderStatus: null,
    isUpdate: false,
    reply: character.repeat(10_000 / character.length),
    replyLink: 'https://waypost.example/replies/1',
    settings: { name: 'Acme Books', contactEmail: 'shop@acme.example', replyForward: 'full' },
    language: 'en',
    sender: null,
    link: '',
    unsubscribeLink: '',
    sharedDomain: 'waypost.example',
  };
  const mail = compose(parts);
  if (mail.channel !== 'email') throw new Error('it is no mail');
  const { to: _to, ...content } = mail;
  return content;
}
