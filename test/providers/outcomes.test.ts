import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { createHttpClient, exchange } from '../../src/providers/http.ts';
import type { ProviderResponse } from '../../src/providers/provider.ts';
import { dkimKey } from '../support/providerKeys.ts';
import { OWN_SENDERS, sampleEmail } from './adapters/bench.ts';
import { brevoAdapter, brevoError } from './adapters/brevo.ts';
import { mailgunAdapter, mailgunError } from './adapters/mailgun.ts';
import { metaAdapter, metaError } from './adapters/meta.ts';
import { postmarkAdapter } from './adapters/postmark.ts';
import { resendAdapter } from './adapters/resend.ts';
import { sendgridAdapter, sendgridError } from './adapters/sendgrid.ts';
import { sesAdapter, sesError } from './adapters/ses.ts';
import { smtpAdapter } from './adapters/smtp.ts';
import { twilioError, twilioSmsAdapter, twilioWhatsappAdapter } from './adapters/twilio.ts';
import { vonageAdapter, vonageError } from './adapters/vonage.ts';
import { type MockReply, mockApi } from './mockApi.ts';
import type { SmtpScript } from './mockSmtp.ts';

/** An answer in one word: how it went, and why or whose. */
function verdict(answer: ProviderResponse): string {
  switch (answer.outcome) {
    case 'refused':
      return `refused: ${answer.because}${answer.alarm === undefined ? '' : ', and says so'}`;
    case 'not_set_up':
      return `not set up: ${answer.concerns}`;
    default:
      return answer.outcome;
  }
}

const HTTP = [
  postmarkAdapter,
  resendAdapter,
  brevoAdapter,
  mailgunAdapter,
  sendgridAdapter,
  sesAdapter,
  twilioSmsAdapter,
  vonageAdapter,
  twilioWhatsappAdapter,
  metaAdapter,
];

describe.each(HTTP.map((adapter) => [adapter.name, adapter] as const))('%s', (_name, adapter) => {
  test.each<[string, MockReply, string]>([
    ['a server error', { status: 500, body: { message: 'oops' } }, 'unknown'],
    ['a bad gateway', { status: 502, body: '<html>' }, 'unknown'],
    ['a timeout of its front', { status: 504 }, 'unknown'],
    ['a request timeout', { status: 408 }, 'unknown'],
    ['a success that is no JSON', { status: 200, body: 'OK' }, 'unknown'],
    ['a success without an id', { status: 200, body: {} }, 'unknown'],
    ['a success that breaks off', 'closes the connection during its answer', 'unknown'],
    ['an answer without end', 'answers without end', 'unknown'],
    ['a hang-up before the body', 'closes the connection before the body', 'unknown'],
    ['a 429 in no known words', { status: 429, body: 'slow down' }, 'refused: over_limits'],
    ['a 401 in no known words', { status: 401, body: 'no' }, 'not set up: account'],
    ['a 403 in no known words', { status: 403 }, 'not set up: account'],
    [
      'a redirect, which is not followed',
      { status: 302, headers: { location: '/elsewhere' } },
      'not set up: account',
    ],
    ['an address that is wrong', { status: 404, body: 'no such page' }, 'not set up: account'],
    ['a refusal in no known words', { status: 400, body: 'no' }, 'refused: message, and says so'],
  ])('%s', async (_what, reply, expected) => {
    const bench = await adapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
    if (adapter.name !== 'resend') expect(bench.taken.length).toBeLessThanOrEqual(1);
  });
});

test('a server without TLS where TLS is expected took nothing', async () => {
  const { port } = await mockApi({ status: 200 });
  const client = createHttpClient();
  const request = { method: 'POST' as const, url: `https://127.0.0.1:${port}/`, headers: {}, body: 'x' };
  expect(
    await exchange(client, request, { signal: AbortSignal.timeout(5_000), timeoutMs: 5_000 }),
  ).toMatchObject({ kind: 'not_sent' });
  await client.destroy();
});

describe('Twilio', () => {
  test.each<[number, number, string]>([
    [20003, 401, 'not set up: account'],
    [20404, 404, 'not set up: account'],
    [20429, 429, 'refused: over_limits'],
    [21611, 400, 'refused: over_limits'],
    [21211, 400, 'refused: message'],
    [21614, 400, 'refused: message'],
    [21635, 400, 'refused: message'],
    [21408, 403, 'refused: message, and says so'],
    [21606, 400, 'not set up: sender'],
    [21212, 400, 'not set up: sender'],
    [21608, 400, 'refused: message, and says so'],
    [21610, 400, 'refused: stopped'],
    [21612, 400, 'refused: message'],
    [21609, 400, 'not set up: account'],
    [30001, 400, 'refused: over_limits'],
    [30002, 400, 'not set up: account'],
    [30034, 400, 'not set up: sender'],
  ])('texts: %i', async (code, status, expected) => {
    const bench = await twilioSmsAdapter.openWith(twilioError(status, code));
    expect(verdict(await bench.send())).toBe(expected);
  });

  test.each<[number, string]>([
    [63016, 'refused: message, and says so'],
    [63018, 'refused: over_limits'],
    [63014, 'refused: stopped'],
    [63024, 'refused: not_on_whatsapp'],
    [63003, 'refused: not_on_whatsapp'],
    [63013, 'refused: message, and says so'],
    [63021, 'refused: message, and says so'],
    [63027, 'refused: template, and says so'],
    [63028, 'refused: template, and says so'],
    [63029, 'refused: message, and says so'],
    [63030, 'refused: message, and says so'],
    [63032, 'refused: capped'],
    [63049, 'refused: capped'],
  ])('WhatsApp: %i', async (code, expected) => {
    const bench = await twilioWhatsappAdapter.openWith(twilioError(400, code));
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('what is wrong with a code and a 5xx stays unknown', async () => {
    const bench = await twilioSmsAdapter.openWith(twilioError(503, 21610));
    expect(verdict(await bench.send())).toBe('unknown');
  });

  test('the request is the form that Twilio documents', async () => {
    const bench = await twilioSmsAdapter.openWith({ status: 201, body: { sid: 'SM1' } });
    await bench.send();
    await bench.send({ from: `MG${'3'.repeat(32)}` });
    const [plain, service] = bench.taken;
    expect(plain).toMatchObject({
      method: 'POST',
      path: `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`,
      headers: {
        authorization: `Basic ${Buffer.from(`AC${'0'.repeat(32)}:12345678901234567890123456789012`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    expect(Object.fromEntries(new URLSearchParams(plain?.body))).toEqual({
      To: '+447700900123',
      From: '+447700900900',
      Body: 'Acme Books: your order #1001 has shipped. https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A',
      StatusCallback: 'https://waypost.example/callbacks/twilio?ref=mwh91ugabiz-mwh91uga00send',
    });
    const fields = new URLSearchParams(service?.body);
    expect([fields.get('MessagingServiceSid'), fields.get('From')]).toEqual([`MG${'3'.repeat(32)}`, null]);
  });

  test('a template is found by its name and sent by its SID; the account is asked once', async () => {
    const bench = await twilioWhatsappAdapter.openWith({ status: 201, body: { sid: 'SM1' } });
    await bench.send();
    await bench.send();
    expect(bench.taken).toHaveLength(2);
    const fields = new URLSearchParams(bench.taken[0]?.body);
    expect(Object.fromEntries(fields)).toMatchObject({
      To: 'whatsapp:+447700900123',
      From: 'whatsapp:+447700900901',
      ContentSid: `HX${'2'.repeat(32)}`,
    });
    expect(fields.has('Body')).toBe(false);
    expect(JSON.parse(fields.get('ContentVariables') ?? '')).toEqual({
      1: 'Acme Books',
      2: '#1001',
      3: 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A',
    });
  });

  test('a template that the account does not have is not sent', async () => {
    const bench = await twilioWhatsappAdapter.openWith({ status: 201, body: { sid: 'SM1' } });
    const template = { name: 'waypost_order_lost_v1', language: 'en', parameters: [] };
    const answer = await bench.send({ template });
    expect(answer).toMatchObject({ outcome: 'refused', because: 'template', errorCode: 'template_missing' });
    expect(bench.taken).toEqual([]);
  });

  test('an answer to a reply is free text', async () => {
    const bench = await twilioWhatsappAdapter.openWith({ status: 201, body: { sid: 'SM1' } });
    await bench.send({ template: null });
    const fields = new URLSearchParams(bench.taken[0]?.body);
    expect(fields.get('Body')).toBe('Update from Acme Books: your order #1001 has shipped.');
    expect(fields.has('ContentSid')).toBe(false);
  });
});

describe('Meta', () => {
  test.each<[number, string]>([
    [190, 'not set up: account'],
    [0, 'not set up: account'],
    [3, 'not set up: account'],
    [10, 'not set up: account'],
    [200, 'not set up: account'],
    [294, 'not set up: account'],
    [368, 'not set up: account'],
    [131005, 'not set up: account'],
    [131031, 'not set up: account'],
    [131042, 'not set up: account'],
    [131048, 'not set up: account'],
    [131064, 'not set up: account'],
    [131045, 'not set up: sender'],
    [4, 'refused: over_limits'],
    [80007, 'refused: over_limits'],
    [130429, 'refused: over_limits'],
    [131056, 'refused: over_limits'],
    [131016, 'refused: busy'],
    [131057, 'refused: busy'],
    [131000, 'refused: busy'],
    [1, 'refused: busy'],
    [2, 'refused: busy'],
    [131026, 'refused: not_on_whatsapp'],
    [131021, 'refused: message'],
    [131030, 'refused: message, and says so'],
    [131008, 'refused: message, and says so'],
    [131009, 'refused: message, and says so'],
    [100, 'refused: message, and says so'],
    [131047, 'refused: message, and says so'],
    [130497, 'refused: message, and says so'],
    [131049, 'refused: capped'],
    [130472, 'refused: capped'],
    [131050, 'refused: stopped'],
    [132000, 'refused: template, and says so'],
    [132001, 'refused: template, and says so'],
    [132005, 'refused: template, and says so'],
    [132007, 'refused: template, and says so'],
    [132008, 'refused: template, and says so'],
    [132012, 'refused: template, and says so'],
    [132015, 'refused: template, and says so'],
    [132016, 'refused: template, and says so'],
  ])('%i', async (code, expected) => {
    const bench = await metaAdapter.openWith(metaError(400, code));
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('an invitation to try again, with a 5xx, promises nothing', async () => {
    for (const code of [131000, 131016, 2]) {
      const bench = await metaAdapter.openWith(metaError(500, code));
      expect(verdict(await bench.send())).toBe('unknown');
    }
  });

  test('a phone number id that the token does not know concerns that sender', async () => {
    const bench = await metaAdapter.openWith(metaError(400, 100, 33));
    expect(verdict(await bench.send())).toBe('not set up: sender');
  });

  test('a template that a business’s own account lacks says nothing about the shared one', async () => {
    const bench = await metaAdapter.openWith(metaError(404, 132001));
    expect(verdict(await bench.send())).toBe('refused: template, and says so');
    expect(verdict(await bench.send({ from: OWN_SENDERS.id }))).toBe('not set up: sender');
  });

  test('the request is the template message that Meta documents', async () => {
    const bench = await metaAdapter.openWith({ status: 200, body: { messages: [{ id: 'wamid.1' }] } });
    await bench.send();
    await bench.send({ template: null });
    const [template, free] = bench.taken;
    expect(template).toMatchObject({
      path: '/v23.0/106540352242922/messages',
      headers: { authorization: 'Bearer meta-token', 'content-type': 'application/json' },
    });
    expect(JSON.parse(template?.body ?? '')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '447700900123',
      type: 'template',
      template: {
        name: 'waypost_order_shipped_v1',
        language: { code: 'en' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Acme Books' },
              { type: 'text', text: '#1001' },
              { type: 'text', text: 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A' },
            ],
          },
        ],
      },
      biz_opaque_callback_data: 'mwh91ugabiz-mwh91uga00send',
    });
    expect(JSON.parse(free?.body ?? '')).toMatchObject({
      type: 'text',
      text: { body: 'Update from Acme Books: your order #1001 has shipped.' },
    });
  });
});

describe('Amazon SES', () => {
  const unverified =
    'Email address is not verified. The following identities failed the check in region EU-WEST-1:';
  test.each<[string, MockReply, string]>([
    ['throttling', sesError(429, 'TooManyRequestsException'), 'refused: over_limits'],
    ['a message it does not like', sesError(400, 'MessageRejected', 'Bad content'), 'refused: message'],
    [
      'an unverified sender',
      sesError(400, 'MessageRejected', `${unverified} updates@waypost.example`),
      'not set up: sender',
    ],
    [
      'an unverified domain',
      sesError(400, 'MessageRejected', `${unverified} waypost.example`),
      'not set up: sender',
    ],
    [
      'an unverified recipient',
      sesError(400, 'MessageRejected', `${unverified} ann@example.com`),
      'refused: message, and says so',
    ],
    ['a MAIL FROM domain', sesError(400, 'MailFromDomainNotVerifiedException'), 'not set up: sender'],
    ['a suspended account', sesError(400, 'AccountSuspendedException'), 'not set up: account'],
    ['paused sending', sesError(400, 'SendingPausedException'), 'not set up: account'],
    ['a limit of the account', sesError(400, 'LimitExceededException'), 'not set up: account'],
    ['an unknown configuration set', sesError(404, 'NotFoundException'), 'not set up: account'],
    ['a malformed request', sesError(400, 'BadRequestException'), 'refused: message, and says so'],
    ['a wrong signature', sesError(403, 'SignatureDoesNotMatch'), 'not set up: account'],
    ['an unknown key', sesError(403, 'UnrecognizedClientException'), 'not set up: account'],
  ])('%s', async (_what, reply, expected) => {
    const bench = await sesAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('the request is the one that the SDK makes, signed', async () => {
    const bench = await sesAdapter.openWith({ status: 200, body: { MessageId: 'ses-1' } });
    await bench.send();
    const [taken] = bench.taken;
    expect(taken?.path).toBe('/v2/email/outbound-emails');
    expect(taken?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(JSON.parse(taken?.body ?? '')).toEqual({
      FromEmailAddress: expect.stringMatching(/^(=\?UTF-8\?B\?[\w+/=]+\?= ?)+ <updates@waypost\.example>$/),
      Destination: { ToAddresses: ['ann@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: 'Your order #1001 has shipped ✓', Charset: 'UTF-8' },
          Body: {
            Text: { Data: expect.stringContaining('/i/4hX0r7Qm2sT9vLcK8dWz1A'), Charset: 'UTF-8' },
            Html: { Data: expect.stringContaining('<p>'), Charset: 'UTF-8' },
          },
          Headers: [
            { Name: 'List-Unsubscribe', Value: '<https://waypost.example/unsubscribe/abc>' },
            { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
            { Name: 'Auto-Submitted', Value: 'auto-generated' },
          ],
        },
      },
      EmailTags: [{ Name: 'waypost_reference', Value: 'mwh91ugabiz-mwh91uga00send' }],
      ConfigurationSetName: 'waypost',
    });
  });
});

describe('Postmark', () => {
  const error = (code: number, status = 422): MockReply => ({
    status,
    body: { ErrorCode: code, Message: 'No.' },
  });
  test.each<[string, MockReply, string]>([
    ['a wrong token', error(10, 401), 'not set up: account'],
    ['no such sender signature', error(400), 'not set up: sender'],
    ['an unconfirmed sender signature', error(401), 'not set up: sender'],
    ['no credits left', error(405), 'not set up: account'],
    ['a pending account', error(412), 'not set up: account'],
    ['an account that may not send', error(413), 'not set up: account'],
    ['an invalid request', error(300), 'refused: message'],
    ['an inactive recipient', error(406), 'refused: address'],
    ['throttling', error(429, 429), 'refused: over_limits'],
    ['maintenance', error(100, 503), 'refused: busy'],
    ['an error nobody knows', error(999), 'refused: message, and says so'],
    [
      'a success that will not be delivered',
      {
        status: 200,
        body: {
          MessageID: 'pm-1',
          ErrorCode: 0,
          Message: 'Message OK, but will not deliver to these inactive addresses: x.',
        },
      },
      'refused: address',
    ],
    [
      'a success that names an error',
      { status: 200, body: { ErrorCode: 300, Message: 'No.' } },
      'refused: message',
    ],
  ])('%s', async (_what, reply, expected) => {
    const bench = await postmarkAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('the request is the one that Postmark documents', async () => {
    const bench = await postmarkAdapter.openWith({
      status: 200,
      body: { MessageID: 'pm-1', ErrorCode: 0, Message: 'OK' },
    });
    await bench.send();
    const [taken] = bench.taken;
    expect(taken).toMatchObject({ path: '/email', headers: { 'x-postmark-server-token': 'server-token' } });
    expect(JSON.parse(taken?.body ?? '')).toMatchObject({
      From: '"Zoë’s Café, \\"Tallinn\\"" <updates@waypost.example>',
      To: 'ann@example.com',
      MessageStream: 'outbound',
      Metadata: { waypost_reference: 'mwh91ugabiz-mwh91uga00send' },
      Headers: expect.arrayContaining([
        { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
      ]),
      TrackOpens: false,
    });
  });
});

describe('Resend', () => {
  const error = (status: number, name: string, message = 'No.'): MockReply => ({
    status,
    body: { statusCode: status, name, message },
  });
  test.each<[string, MockReply, string]>([
    ['a missing key', error(401, 'missing_api_key'), 'not set up: account'],
    ['a wrong key', error(403, 'invalid_api_key'), 'not set up: account'],
    [
      'an unverified domain',
      error(403, 'validation_error', 'The acme.example domain is not verified.'),
      'not set up: sender',
    ],
    ['a sender it cannot read', error(422, 'invalid_from_address'), 'not set up: sender'],
    ['an invalid mail', error(422, 'validation_error'), 'refused: message'],
    ['an invalid mail, as a 400', error(400, 'validation_error'), 'refused: message'],
    [
      'a key used for another mail',
      error(409, 'invalid_idempotent_request'),
      'refused: message, and says so',
    ],
    ['throttling', error(429, 'rate_limit_exceeded'), 'refused: over_limits'],
    ['a used up day', error(429, 'daily_quota_exceeded'), 'not set up: account'],
    ['a used up month', error(429, 'monthly_quota_exceeded'), 'not set up: account'],
    ['a legal refusal', error(451, 'security_error'), 'refused: message'],
  ])('%s', async (_what, reply, expected) => {
    const bench = await resendAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('asks again with the same key and the same bytes, and learns what became of the first call', async () => {
    const bench = await resendAdapter.openWith('closes the connection after the body');
    setTimeout(() => bench.reply({ status: 200, body: { id: 're-1' } }), 100);
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: 're-1' });
    const [first, again] = bench.submissions();
    expect(again).toEqual(first);
    expect(first?.whole.split(' ')[0]).toBe('mwh91ugabiz-mwh91uga00send/1');
  });

  test('waits for its own earlier call to be over', async () => {
    const bench = await resendAdapter.openWith(error(409, 'concurrent_idempotent_requests'));
    setTimeout(() => bench.reply({ status: 200, body: { id: 're-1' } }), 100);
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: 're-1' });
  });

  test('not being reached the second time says nothing about the first', async () => {
    const bench = await resendAdapter.openWith('closes the connection after the body');
    const sending = bench.send();
    setTimeout(() => bench.reply('closes the connection before the body'), 100);
    expect(await sending).toMatchObject({ outcome: 'unknown' });
  });

  test.each([error(429, 'rate_limit_exceeded'), error(403, 'invalid_api_key')])(
    'nor does being put off the second time, which must not lead to another attempt (%j)',
    async (reply) => {
      const bench = await resendAdapter.openWith('closes the connection after the body');
      setTimeout(() => bench.reply(reply), 100);
      expect(await bench.send()).toMatchObject({ outcome: 'unknown' });
      expect(bench.taken.length).toBeGreaterThan(1);
    },
  );
});

describe('Brevo', () => {
  test.each<[string, MockReply, string]>([
    ['a wrong key', brevoError(401, 'unauthorized', 'Key not found'), 'not set up: account'],
    ['an account that is not active', brevoError(403, 'permission_denied'), 'not set up: account'],
    ['no credits left', brevoError(402, 'not_enough_credits'), 'not set up: account'],
    ['an account under review', brevoError(400, 'account_under_validation'), 'not set up: account'],
    [
      'an unverified sender',
      brevoError(400, 'invalid_parameter', 'Sender is invalid / inactive'),
      'not set up: sender',
    ],
    ['a missing sender', brevoError(400, 'missing_parameter', 'sender is missing'), 'refused: message'],
    [
      'an invalid recipient',
      brevoError(400, 'invalid_parameter', 'email is not valid in to'),
      'refused: message',
    ],
    ['a missing field', brevoError(400, 'missing_parameter'), 'refused: message'],
    ['too much', brevoError(400, 'out_of_range'), 'refused: message'],
    ['throttling', brevoError(429, 'too_many_requests'), 'refused: over_limits'],
    ['an error nobody knows', brevoError(400, 'not_acceptable'), 'refused: message, and says so'],
    ['a wrong address', brevoError(404, 'document_not_found'), 'not set up: account'],
    ['a refusal with a 5xx', brevoError(503, 'invalid_parameter'), 'unknown'],
  ])('%s', async (_what, reply, expected) => {
    const bench = await brevoAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('the request is the one that Brevo documents', async () => {
    const bench = await brevoAdapter.openWith({ status: 201, body: { messageId: '<1@relay.example>' } });
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: '<1@relay.example>' });
    const [taken] = bench.taken;
    expect(taken).toMatchObject({ path: '/v3/smtp/email', headers: { 'api-key': 'xkeysib-key' } });
    expect(JSON.parse(taken?.body ?? '')).toEqual({
      sender: { name: 'Zoë’s Café, "Tallinn"', email: 'updates@waypost.example' },
      to: [{ email: 'ann@example.com' }],
      subject: 'Your order #1001 has shipped ✓',
      textContent: expect.stringContaining('/i/4hX0r7Qm2sT9vLcK8dWz1A'),
      htmlContent: expect.stringContaining('<p>'),
      headers: {
        'List-Unsubscribe': '<https://waypost.example/unsubscribe/abc>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
        'X-Mailin-custom': 'mwh91ugabiz-mwh91uga00send',
      },
    });
  });
});

describe('Vonage', () => {
  test.each<[number, number, string]>([
    [1000, 429, 'refused: over_limits'],
    [1010, 422, 'refused: message'],
    [1020, 422, 'refused: message'],
    [1030, 400, 'unknown'],
    [1040, 422, 'refused: message'],
    [1050, 422, 'refused: stopped'],
    [1060, 403, 'not set up: account'],
    [1070, 402, 'not set up: account'],
    [1080, 403, 'not set up: account'],
    [1090, 422, 'refused: message, and says so'],
    [1100, 400, 'refused: busy'],
    [1120, 422, 'refused: message, and says so'],
    [1140, 403, 'not set up: account'],
    [1160, 403, 'refused: message, and says so'],
    [1170, 422, 'refused: message'],
    [1240, 422, 'refused: stopped'],
    [1241, 429, 'refused: over_limits'],
    [1420, 422, 'not set up: sender'],
    [1430, 422, 'refused: message'],
    [1999, 422, 'refused: message, and says so'],
    [1050, 500, 'unknown'],
  ])('%i with %i', async (code, status, expected) => {
    const bench = await vonageAdapter.openWith(vonageError(status, code));
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('no credit, in whatever words', async () => {
    const bench = await vonageAdapter.openWith({ status: 402, body: { title: 'Low balance' } });
    expect(verdict(await bench.send())).toBe('not set up: account');
  });

  test('the request is the one that Vonage documents, from a number or a name', async () => {
    const bench = await vonageAdapter.openWith({ status: 202, body: { message_uuid: 'v-1' } });
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: 'v-1' });
    await bench.send({ from: 'Acme Books' });
    const [number, name] = bench.taken.map(({ body }) => JSON.parse(body));
    expect(bench.taken[0]?.path).toBe('/v1/messages');
    expect(number).toEqual({
      channel: 'sms',
      message_type: 'text',
      to: '447700900123',
      from: '447700900900',
      text: 'Acme Books: your order #1001 has shipped. https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A',
      client_ref: 'mwh91ugabiz-mwh91uga00send',
      webhook_url: 'https://waypost.example/callbacks/vonage',
    });
    expect(name.from).toBe('Acme Books');
  });

  test('the token is short-lived, reused, and proves the application', async () => {
    const bench = await vonageAdapter.openWith({ status: 202, body: { message_uuid: 'v-1' } });
    await Promise.all([bench.send(), bench.send({ attempt: 2 })]);
    const tokens = bench.taken.map(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? '');
    expect(new Set(tokens).size).toBe(1);
    const { payload, protectedHeader } = await jwtVerify(tokens[0] ?? '', createPublicKey(dkimKey), {
      algorithms: ['RS256'],
      requiredClaims: ['jti', 'iat', 'exp'],
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(payload.application_id).toBe('aaaaaaaa-bbbb-cccc-dddd-0123456789ab');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60);
  });
});

describe('Mailgun', () => {
  test.each<[string, MockReply, string]>([
    ['an invalid mail', mailgunError(400, "'from' parameter is missing"), 'refused: message, and says so'],
    [
      'an address it cannot read',
      mailgunError(400, "'to' parameter is not a valid address. please check documentation"),
      'refused: message',
    ],
    ['a mail that is too large', { status: 413 }, 'refused: message, and says so'],
    ['a wrong key', { status: 401, body: 'Forbidden' }, 'not set up: account'],
    ['an unpaid account', mailgunError(402, 'Request Failed'), 'not set up: account'],
    [
      'an account that may not send',
      mailgunError(403, 'Please activate your account'),
      'not set up: account',
    ],
    [
      'an unverified domain',
      mailgunError(403, 'Domain acme.example is not allowed to send: The domain is unverified.'),
      'not set up: sender',
    ],
    ['an unknown domain', mailgunError(404, 'Domain not found: acme.example'), 'not set up: sender'],
    ['throttling', mailgunError(429, 'Too many requests'), 'refused: over_limits'],
  ])('%s', async (_what, reply, expected) => {
    const bench = await mailgunAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('the request is the form that Mailgun documents', async () => {
    const bench = await mailgunAdapter.openWith({ status: 200, body: { id: '<1@mg.waypost.example>' } });
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: '<1@mg.waypost.example>' });
    const [taken] = bench.taken;
    expect(taken).toMatchObject({
      path: '/v3/mg.waypost.example/messages',
      headers: { authorization: `Basic ${Buffer.from('api:key-mailgun').toString('base64')}` },
    });
    // Read by a parser of forms that is not ours.
    const type = taken?.headers['content-type'] ?? '';
    const form = await new Response(taken?.body, { headers: { 'content-type': type } }).formData();
    const { text, html, headers } = sampleEmail();
    expect(Object.fromEntries(form)).toEqual({
      from: '"Zoë’s Café, \\"Tallinn\\"" <updates@waypost.example>',
      to: 'ann@example.com',
      subject: 'Your order #1001 has shipped ✓',
      text,
      html,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [`h:${name}`, value])),
      'v:waypost_reference': 'mwh91ugabiz-mwh91uga00send',
      'o:tracking': 'no',
    });
  });

  test('a sender elsewhere goes through its own domain, one at home through the shared one', async () => {
    const bench = await mailgunAdapter.openWith({ status: 200, body: { id: '<1@acme.example>' } });
    await bench.send({ from: 'news@acme.example' });
    await bench.send({ from: 'acme@waypost.example' });
    expect(bench.taken.map(({ path }) => path)).toEqual([
      '/v3/acme.example/messages',
      '/v3/mg.waypost.example/messages',
    ]);
  });
});

describe('SendGrid', () => {
  test.each<[string, MockReply, string]>([
    ['an invalid mail', sendgridError(400, 'subject'), 'refused: message, and says so'],
    ['an address it cannot read', sendgridError(400, 'personalizations.0.to.0.email'), 'refused: message'],
    ['a mail that is too large', { status: 413, body: '<html>' }, 'refused: message, and says so'],
    ['a wrong key', sendgridError(401, null), 'not set up: account'],
    ['used up credits', sendgridError(401, null, 'Maximum credits exceeded'), 'not set up: account'],
    ['a key that may not send', sendgridError(403, null, 'access forbidden'), 'not set up: account'],
    ['an unverified sender', sendgridError(403, 'from'), 'not set up: sender'],
    ['throttling', sendgridError(429, null), 'refused: over_limits'],
    ['a success without its header', { status: 202 }, 'unknown'],
  ])('%s', async (_what, reply, expected) => {
    const bench = await sendgridAdapter.openWith(reply);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('used up credits are not called a wrong key', async () => {
    const bench = await sendgridAdapter.openWith(sendgridError(401, null, 'Maximum credits exceeded'));
    expect(await bench.send()).toMatchObject({ sentence: expect.stringContaining('credits') });
  });

  test('the request is the one that SendGrid documents', async () => {
    const bench = await sendgridAdapter.openWith({ status: 202, headers: { 'x-message-id': 'sg-1' } });
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: 'sg-1' });
    const [taken] = bench.taken;
    expect(taken).toMatchObject({ path: '/v3/mail/send', headers: { authorization: 'Bearer SG.key' } });
    const { text, html } = sampleEmail();
    expect(JSON.parse(taken?.body ?? '')).toEqual({
      from: { email: 'updates@waypost.example', name: 'Zoë’s Café, "Tallinn"' },
      personalizations: [
        {
          to: [{ email: 'ann@example.com' }],
          custom_args: { waypost_reference: 'mwh91ugabiz-mwh91uga00send' },
        },
      ],
      subject: 'Your order #1001 has shipped ✓',
      content: [
        { type: 'text/plain', value: text },
        { type: 'text/html', value: html },
      ],
      headers: {
        'List-Unsubscribe': '<https://waypost.example/unsubscribe/abc>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
      },
    });
  });
});

describe('a mail server', () => {
  test.each<[string, SmtpScript, string]>([
    ['accepts the message', {}, 'accepted'],
    ['hangs up at once', { greeting: 'hangs up' }, 'not_taken'],
    ['is not ready', { greeting: '421 4.3.2 not now' }, 'refused: busy'],
    ['takes no mail', { greeting: '554 5.7.1 go away' }, 'refused: message'],
    ['refuses the sign-in', { auth: '535 5.7.8 wrong' }, 'not set up: account'],
    ['cannot check the sign-in now', { auth: '454 4.7.0 later' }, 'refused: busy'],
    ['wants a sign-in', { mail: '530 5.7.0 authentication required' }, 'not set up: account'],
    ['refuses the sender for policy', { mail: '550 5.7.1 not yours' }, 'not set up: sender'],
    ['refuses the sender by name', { mail: '553 sender not allowed' }, 'not set up: sender'],
    ['refuses the sender for other reasons', { mail: '552 5.2.2 too much' }, 'refused: message'],
    ['refuses the sender for now', { mail: '451 4.3.0 later' }, 'refused: busy'],
    ['hangs up on the sender', { mail: 'hangs up' }, 'not_taken'],
    ['does not know the recipient', { rcpt: '550 5.1.1 no such user' }, 'refused: address'],
    ['does not know the domain', { rcpt: '550 5.1.2 no such host' }, 'refused: address'],
    ['refuses the recipient for policy', { rcpt: '550 5.7.1 blocked' }, 'refused: message'],
    ['refuses the recipient without a reason', { rcpt: '550 no' }, 'refused: message'],
    ['has a full mailbox', { rcpt: '452 4.2.2 full' }, 'refused: busy'],
    ['hangs up on the recipient', { rcpt: 'hangs up' }, 'not_taken'],
    ['refuses DATA', { data: '554 5.5.1 no' }, 'refused: message'],
    ['refuses DATA for now', { data: '451 4.3.0 later' }, 'refused: busy'],
    ['hangs up on DATA', { data: 'hangs up' }, 'not_taken'],
    ['hangs up within the body', { body: 'hangs up' }, 'unknown'],
    ['hangs up after the dot', { end: 'hangs up' }, 'unknown'],
    ['says nothing after the dot', { end: 'never answers' }, 'unknown'],
    ['refuses after the dot', { end: '554 5.6.0 no' }, 'refused: message'],
    ['refuses after the dot for now', { end: '451 4.3.0 later' }, 'refused: busy'],
    ['knows only after the dot that nobody is there', { end: '550 5.1.1 no such user' }, 'refused: address'],
    ['answers DATA with a 250, then hangs up', { data: '250 fine', end: 'hangs up' }, 'unknown'],
  ])('that %s', async (_what, script, expected) => {
    const bench = await smtpAdapter.openWith(script);
    expect(verdict(await bench.send())).toBe(expected);
  });

  test('names the mail, and keeps its connection for the next', async () => {
    const bench = await smtpAdapter.openWith({});
    expect(await bench.send()).toEqual({ outcome: 'accepted', providerId: '4F1A2B' });
    await bench.send();
    expect(bench.said.filter((line) => line.startsWith('EHLO'))).toHaveLength(1);
    expect(bench.submissions()).toHaveLength(2);
  });

  test('that hung up on a kept connection is called again, since it surely took nothing', async () => {
    const bench = await smtpAdapter.openWith({});
    await bench.send();
    bench.follow({ mail: 'hangs up once' });
    expect(await bench.send()).toMatchObject({ outcome: 'accepted' });
    expect(bench.said.filter((line) => line.startsWith('MAIL'))).toHaveLength(3);
    expect(bench.submissions()).toHaveLength(2);
  });
});
