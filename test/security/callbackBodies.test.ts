import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  brevoEnv,
  httpSmsEnv,
  mailgunEnv,
  metaEnv,
  PROVIDER_SECRETS,
  postmarkEnv,
  resendEnv,
  sendgridEnv,
  sesEnv,
  twilioSmsEnv,
  vonageEnv,
} from '../support/providerEnvironments.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

const MiB = 1024 * 1024;
const NOWHERE = 'http://127.0.0.1:9';

const services: Record<string, TestService> = {};
let shop: Shop;
beforeAll(async () => {
  const paid = { ...twilioSmsEnv(NOWHERE), ...metaEnv(NOWHERE) };
  services.postmark = await startService({ ...postmarkEnv(NOWHERE), ...paid, ROLES: 'api' });
  services.resend = await startService({ ...resendEnv(NOWHERE), ...httpSmsEnv(NOWHERE), ROLES: 'api' });
  services.brevo = await startService({ ...brevoEnv(NOWHERE), ...vonageEnv(NOWHERE), ROLES: 'api' });
  services.vonage = services.brevo;
  services.http = services.resend;
  services.ses = await startService({ ...sesEnv(NOWHERE), ROLES: 'api' });
  services.mailgun = await startService({ ...mailgunEnv(NOWHERE), ROLES: 'api' });
  services.sendgrid = await startService({ ...sendgridEnv(NOWHERE), ROLES: 'api' });
  shop = await services.postmark.business();
});
afterAll(async () => {
  for (const service of new Set(Object.values(services))) await service.close();
});
const urlOf = (provider: string): string =>
  (services[provider] ?? services.postmark)?.url ?? 'no service of that name';

/** Everything that the service holds, according to its own metrics. */
async function heldBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^waypost_http_held_bytes (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

const head = (provider: string, headers: string, bytes: number): string =>
  `POST /callbacks/${provider} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${bytes}\r\n\r\n`;

const basic = (login: string): string => `Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
const sendgridHeaders = (at: number): string =>
  `X-Twilio-Email-Event-Webhook-Timestamp: ${at}\r\nX-Twilio-Email-Event-Webhook-Signature: abc\r\n`;
const now = (): number => Math.floor(Date.now() / 1_000);

describe('a callback whose head cannot be the provider’s is refused before its body is read', () => {
  test.each<[string, string, () => string, number]>([
    ['twilio', 'no signature', () => '', 403],
    ['twilio', 'a signature of another shape', () => 'X-Twilio-Signature: abc\r\n', 403],
    ['meta', 'no signature', () => '', 403],
    ['meta', 'a signature of another shape', () => 'X-Hub-Signature-256: sha256=00\r\n', 403],
    ['postmark', 'no password', () => '', 401],
    ['postmark', 'a wrong password', () => basic('waypost:wrong'), 401],
    ['resend', 'no signature', () => '', 403],
    ['http', 'no signature', () => '', 401],
    [
      'http',
      'a signature of long ago',
      () => 'Webhook-Id: 1\r\nWebhook-Timestamp: 1700000000\r\nWebhook-Signature: v1,abc\r\n',
      401,
    ],
    [
      'resend',
      'a signature of long ago',
      () => 'Svix-Id: msg_1\r\nSvix-Timestamp: 1700000000\r\nSvix-Signature: v1,abc\r\n',
      403,
    ],
    ['brevo', 'no token', () => '', 401],
    ['brevo', 'a wrong token', () => 'Authorization: Bearer wrong\r\n', 401],
    ['vonage', 'no signature', () => '', 401],
    ['vonage', 'a signature by nobody', () => 'Authorization: Bearer e30.e30.abc\r\n', 401],
    ['sendgrid', 'no signature', () => '', 403],
    ['sendgrid', 'a signature of long ago', () => sendgridHeaders(1_700_000_000), 403],
    ['ses', 'no kind of message', () => `X-Amz-Sns-Topic-Arn: ${PROVIDER_SECRETS.topic}\r\n`, 403],
    [
      'ses',
      'somebody else’s topic',
      () =>
        'X-Amz-Sns-Message-Type: Notification\r\nX-Amz-Sns-Topic-Arn: arn:aws:sns:eu-west-1:999999999999:mine\r\n',
      403,
    ],
  ])('%s: %s', async (provider, _, headers, status) => {
    const connection = await openRawConnection(urlOf(provider));
    connection.send(head(provider, headers(), 100_000));
    expect(await connection.until(/signed as it should/)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe('each provider may send as much as it needs', () => {
  const SHAPED: Record<string, () => string> = {
    twilio: () => `X-Twilio-Signature: ${createHmac('sha1', 'x').update('x').digest('base64')}\r\n`,
    meta: () => `X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`,
    postmark: () => basic(`waypost:${PROVIDER_SECRETS.postmark}`),
    resend: () => `Svix-Id: msg_1\r\nSvix-Timestamp: ${now()}\r\nSvix-Signature: v1,abc\r\n`,
    brevo: () => `Authorization: Bearer ${PROVIDER_SECRETS.brevo}\r\n`,
    // Mailgun's signature is in the body.
    mailgun: () => '',
    sendgrid: () => sendgridHeaders(now()),
    http: () => `Webhook-Id: 1\r\nWebhook-Timestamp: ${now()}\r\nWebhook-Signature: v1,abc\r\n`,
    ses: () => `X-Amz-Sns-Message-Type: Notification\r\nX-Amz-Sns-Topic-Arn: ${PROVIDER_SECRETS.topic}\r\n`,
  };

  const AT_THE_END: Record<string, RegExp> = {
    postmark: /^HTTP\/1\.1 200 /,
    brevo: /^HTTP\/1\.1 200 /,
    mailgun: /^HTTP\/1\.1 401 /,
    http: /^HTTP\/1\.1 401 /,
  };

  test.each([
    ['twilio', 0.125],
    ['mailgun', 0.125],
    ['http', 0.125],
    ['resend', 0.25],
    ['postmark', 0.5],
    ['ses', 0.75],
    ['sendgrid', 1],
    ['brevo', 4],
    ['meta', 4],
  ])('%s: %d MiB and not a byte more', async (provider, most) => {
    const tooMuch = await openRawConnection(urlOf(provider));
    tooMuch.send(head(provider, SHAPED[provider]?.() ?? '', most * MiB + 1));
    await tooMuch.until(/^HTTP\/1\.1 413 /);
    const enough = await openRawConnection(urlOf(provider));
    enough.send(head(provider, SHAPED[provider]?.() ?? '', most * MiB) + ' '.repeat(most * MiB));
    // Read to its end, and then refused for its signature; Postmark and Brevo have none.
    await enough.until(AT_THE_END[provider] ?? /^HTTP\/1\.1 403 /);
  });

  test('100 sockets with bodies of megabytes hold a small part of the memory for bodies, and pushes go on', async () => {
    const url = urlOf('meta');
    const part = ' '.repeat(1 * MiB);
    const connections = await Promise.all(Array.from({ length: 100 }, () => openRawConnection(url)));
    for (const { send } of connections) send(head('meta', SHAPED.meta?.() ?? '', 4 * MiB) + part);
    const refused = Promise.all(
      connections
        .slice(0, 60)
        .map(({ until }) => until(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is).catch(() => '')),
    );
    await Promise.any(connections.map(({ until }) => until(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is)));
    await eventually(async () => expect(await heldBytes(url)).toBeGreaterThan(20 * MiB));
    for (let n = 0; n < 5; n += 1) {
      expect(await heldBytes(url)).toBeLessThan(29 * MiB);
      expect(statusAndCode(await shop.push())).toBe('201');
    }
    for (const { destroy } of connections) destroy();
    await refused;
    await eventually(async () => expect(await heldBytes(url)).toBe(0));
  });
});
