import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { misspelt } from '../../src/cli/check/configuration.ts';
import { readConfig } from '../../src/environment/config.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { isSignedWebhook } from '../../src/kit/standardWebhooks.ts';
import type { Finding } from '../../src/providers/askApi.ts';
import { type ApiDeps, createHttpClient } from '../../src/providers/http.ts';
import { emailProvider, smsProvider, whatsappProvider } from '../../src/providers/kinds.ts';
import { type MockApi, type MockReply, mockApi } from '../providers/mockApi.ts';
import { mockSmtp } from '../providers/mockSmtp.ts';
import { smtpServer } from '../providers/smtpServer.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  ACCOUNT_SID,
  brevoEnv,
  httpSmsEnv,
  mailgunEnv,
  metaEnv,
  PROVIDER_SECRETS,
  postmarkEnv,
  resendEnv,
  SHARED_ENV,
  sendgridEnv,
  sesEnv,
  smtpEnv,
  twilioSmsEnv,
  twilioWhatsappEnv,
  vonageEnv,
} from '../support/providerEnvironments.ts';
import { clusterUrl } from '../support/sharedResources.ts';
import { openConsole } from './console.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** What the command found, as `state part: sentence`. */
async function found(
  env: Record<string, string>,
  url = database.url,
): Promise<{ code: number; lines: string[] }> {
  const { code, out, err } = await openConsole(url, env).run('check', '--json');
  expect(err).toBe('');
  const { ok, findings }: { ok: boolean; findings: (Finding & { part: string })[] } = JSON.parse(out);
  expect(ok).toBe(code === 0);
  return { code, lines: findings.map(({ state, part, says }) => `${state} ${part}: ${says}`) };
}

const GOOD = [
  'good configuration: Every variable can be read.',
  expect.stringMatching(/^good database: Postgres \d+\.\S+.* answers\.$/),
  'good database: The schema is current.',
];

describe('the command', () => {
  test('finds nothing wrong with a good configuration, and says so to a person', async () => {
    expect(await found({})).toEqual({ code: 0, lines: GOOD });
    const text = await openConsole(database.url).text('check');
    expect(text).toMatch(/^ +PART +FOUND\nok +configuration +Every variable can be read\.\nok +database +/);
    expect(text).toMatch(/\nNothing is wrong\.\n$/);
  });

  test('says every mistake of the configuration at once, and that the rest waits for it', async () => {
    const wrong = { PORT: 'eighty', EMAIL_PROVIDER: 'postmark', POSTMARK_SERVER_TOKN: 'x' };
    expect(await found(wrong)).toEqual({
      code: 1,
      lines: [
        'wrong configuration: PORT must be a whole number from 0 to 65535, but is "eighty".',
        'wrong configuration: EMAIL_PROVIDER is postmark, which needs EMAIL_FROM (or EMAIL_FROM_FILE): address that mail comes from, without a name: the name is the business’s.',
        'wrong configuration: EMAIL_PROVIDER is postmark, which needs POSTMARK_SERVER_TOKEN (or POSTMARK_SERVER_TOKEN_FILE): API token of the server.',
        'warning configuration: POSTMARK_SERVER_TOKN is no variable of Waypost: POSTMARK_SERVER_TOKEN is probably meant.',
      ],
    });
    const { code, out } = await openConsole(database.url, wrong).run('check');
    expect(code).toBe(1);
    expect(out).toMatch(
      /\nThe database and the providers are checked once the configuration can be read\.\n$/,
    );
  });

  test('asks every chosen provider, and fails when one of them refuses', async () => {
    const api = await mockApi({ status: 401, body: {} });
    const smtp = await mockSmtp();
    const { code, lines } = await found({
      ...smtpEnv(smtp.port),
      ...twilioSmsEnv(api.url),
      ...metaEnv(api.url),
      PUBLIC_URL: 'https://updates.example.com',
    });
    expect(code).toBe(1);
    expect(lines.slice(GOOD.length)).toEqual([
      `good email: The mail server 127.0.0.1:${smtp.port} answers.`,
      'wrong sms: Twilio refuses the credentials (401): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
      'wrong whatsapp: WhatsApp refuses the credentials (401): check META_ACCESS_TOKEN and META_PHONE_NUMBER_ID.',
    ]);
    expect(api.taken.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(smtp.taken).toEqual([]);
    expect(smtp.said.map((line) => line.split(' ')[0])).toEqual(['EHLO', 'QUIT']);
  });
});

describe('of names as senders of texts it says', () => {
  /** What it says beside the database and the provider. */
  async function ofSenders(
    sender: string,
    shops: Record<string, string>[],
    routes = '',
    more: Record<string, string> = {},
  ): Promise<string[]> {
    const own = await testDatabase();
    try {
      const api = await mockApi({ status: 200, body: { status: 'active', _embedded: {} } });
      const env = { ...vonageEnv(api.url), ...twilioSmsEnv(api.url), TWILIO_FROM: sender, ...more };
      const cli = openConsole(own.url, env);
      for (const { address, vonage, ...flags } of shops) {
        const { id } = await cli.business(...Object.entries(flags).flat());
        if (address !== undefined) await cli.json('sender', 'set', id, 'sms', address);
        if (vonage !== undefined) await cli.json('sender', 'set', id, 'sms', vonage, '--provider', 'vonage');
      }
      const { code, lines } = await found(
        { ...env, SMS_ROUTES: routes, PUBLIC_URL: 'https://updates.example.com' },
        own.url,
      );
      expect(code).toBe(0);
      return lines.filter((line) => line.startsWith('warning sms: '));
    } finally {
      await own.drop();
    }
  }

  test('a sentence for each country that a shop may text, with the names that come from there', async () => {
    const lines = await ofSenders('ACME', [
      { '--countries': 'EE,ES,US' },
      { '--countries': 'ES,IE', address: 'Kuusk' },
      { '--countries': 'SG', address: '+37255550134' },
      { '--countries': 'AU', '--sms': 'off' },
    ]);
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning sms: Spain \(ES\), from “Kuusk”, “ACME”: .* since 15 September 2026; register .*\.$/,
      ),
      expect.stringMatching(/^warning sms: Ireland \(IE\), from “Kuusk”: .* since 3 October 2025; /),
    ]);
  });

  test('one sentence where a shop may text every country, and that a name is unsafe', async () => {
    const lines = await ofSenders('Acme Books', [{}, { '--countries': 'ES' }]);
    expect(lines).toEqual([
      expect.stringContaining('The sender “Acme Books” is not 1 to 11 letters and digits'),
      expect.stringMatching(
        /^warning sms: Shops may send SMS to every country from “Acme Books”; names are under rules in AT, AU, .*, TH: see docs\/providers\/sms-senders\.md\.$/,
      ),
    ]);
    expect(lines[1]).not.toMatch(/\b(?:US|CA)\b/);
  });

  test('of the sender of a country’s route, and of no other there', async () => {
    const shops = [{ '--countries': 'ES,IE' }];
    expect(await ofSenders('+447700900900', shops, 'ES=twilio:Kuusk')).toEqual([
      expect.stringMatching(/^warning sms: Spain \(ES\), from “Kuusk”: /),
    ]);
    expect(await ofSenders('ACME', shops, 'ES=twilio:+447700900900,*=twilio')).toEqual([
      expect.stringMatching(/^warning sms: Ireland \(IE\), from “ACME”: /),
    ]);
    expect(await ofSenders('+447700900900', [{}], 'ES=twilio:Kuusk')).toEqual([
      'warning sms: Shops may send SMS to every country from “Kuusk”; names are under rules in ES: see docs/providers/sms-senders.md.',
    ]);
  });

  test('of what each of several providers sends a shop’s texts from', async () => {
    const lines = await ofSenders(
      '+447700900900',
      [
        { '--countries': 'ES', vonage: 'Kuusk' },
        { '--countries': 'ES', address: 'Acme', vonage: '+37255550134' },
        { '--countries': 'ES', address: `MG${'0'.repeat(32)}` },
      ],
      '',
      { SMS_PROVIDER: 'twilio,vonage', VONAGE_FROM: 'Shared' },
    );
    expect(lines).toEqual([
      expect.stringMatching(/^warning sms: Spain \(ES\), from “Acme”, “Shared”, “Kuusk”: /),
    ]);
  });

  test('nothing where texts come from a number, or there are no shops', async () => {
    expect(await ofSenders('+447700900900', [{}])).toEqual([]);
    expect(await ofSenders('ACME', [])).toEqual([]);
  });

  test('nothing before the first start, when there are no tables', async () => {
    const empty = await testDatabase();
    try {
      await empty.pool.query('drop schema public cascade; create schema public');
      const api = await mockApi({ status: 200, body: { status: 'active' } });
      const { code, lines } = await found({ ...twilioSmsEnv(api.url), TWILIO_FROM: 'ACME' }, empty.url);
      expect(code).toBe(0);
      expect(lines).toContainEqual(expect.stringContaining('migrations are not applied yet'));
      expect(lines.filter((line) => line.startsWith('warning sms: '))).toEqual([]);
    } finally {
      await empty.drop();
    }
  });
});

test('a name that is almost one of ours is noticed, others are not', () => {
  expect(
    misspelt(['SMTP_PASWORD', 'SECRET_KEYFILE', 'TWILIO_FROM_FILE', 'HOME', 'HOSTNAME', 'SMTP_RELAY']),
  ).toEqual([
    ['SMTP_PASWORD', 'SMTP_PASSWORD'],
    ['SECRET_KEYFILE', 'SECRET_KEY_FILE'],
  ]);
});

describe('of the database it says', () => {
  const only = async (env: Record<string, string>, url?: string): Promise<string[]> =>
    (await found(env, url)).lines.filter(
      (line) => line.includes(' database: ') && !line.includes(' answers.'),
    );

  test('that nobody answers there', async () => {
    const [line] = await only({}, 'postgresql://nobody@127.0.0.1:1/nothing');
    expect(line).toMatch(
      /^wrong database: The database cannot be reached \(.*\): check the host and port of DATABASE_URL/,
    );
  });

  test('that it refuses the database name', async () => {
    const missing = databaseUrl(await clusterUrl(), 'no_such_database');
    expect((await only({}, missing))[0]).toMatch(/^wrong database: The database refuses the connection \(/);
  });

  test('that migrations are not applied yet', async () => {
    const rows = await runStatements(
      database.url,
      `delete from schema_migrations where id = (select max(id) from schema_migrations) returning name, run_on`,
    );
    try {
      expect(await only({})).toEqual([
        'warning database: 1 migrations are not applied yet: the next start applies them; migrate --plan lists them.',
      ]);
    } finally {
      await database.pool.query('insert into schema_migrations (name, run_on) values ($1, now())', [
        Object(rows[0]).name,
      ]);
    }
  });

  test('that a newer version wrote its schema', async () => {
    await runStatements(
      database.url,
      `insert into schema_migrations (name, run_on, written_by) values ('0999_later', now(), '9.9.9')`,
    );
    try {
      expect((await only({}))[0]).toMatch(
        /^wrong database: The schema of the database was written by Waypost 9\.9\.9, and this is Waypost/,
      );
    } finally {
      await runStatements(database.url, `delete from schema_migrations where name = '0999_later'`);
    }
  });

  test('that SECRET_KEY is another than the one that sealed its secrets', async () => {
    await openConsole(database.url).business();
    const { id } = await openConsole(database.url).business();
    // Anything that hashes makes the pepper.
    await openConsole(database.url).json('suppression', 'add', id, 'ann@example.com');
    expect(await only({})).toEqual(['good database: The schema is current.']);
    const [, line] = await only({ SECRET_KEY: 'c0ffee51d2a94b7f8e6312aa90417bd5' });
    expect(line).toMatch(
      /^wrong database: SECRET_KEY is not the one that this database’s secrets were sealed with/,
    );
  });

  test('that its connections are too few for the processes', async () => {
    const [line] = await only({ PROCESSES: '60' });
    expect(line).toMatch(
      /^warning database: This program may open 1037 connections, and the database has \d+: set/,
    );
  });

  test('that DATABASE_DIRECT_URL leads elsewhere', async () => {
    const elsewhere = databaseUrl(await clusterUrl(), 'postgres');
    expect(await only({ DATABASE_DIRECT_URL: elsewhere })).toEqual([
      'wrong database: DATABASE_DIRECT_URL leads to another database than DATABASE_URL: let both name the same one.',
    ]);
  });
});

const client = createHttpClient();
afterAll(() => client.close());

const APIS = {
  ses: {
    env: sesEnv,
    path: '/v2/email/account',
    good: { SendingEnabled: true, ProductionAccessEnabled: true, SendQuota: { MaxSendRate: 14 } },
    says: ['good: Amazon SES knows the account and lets it send.'],
    refusal:
      'Amazon SES refuses the credentials (403): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION.',
  },
  postmark: {
    env: postmarkEnv,
    path: '/server',
    good: { Name: 'Shop', DeliveryType: 'Live' },
    says: ['good: Postmark knows the server token.'],
    refusal: 'Postmark refuses the credentials (403): check POSTMARK_SERVER_TOKEN.',
  },
  resend: {
    env: resendEnv,
    path: '/domains',
    good: { data: [{ name: 'waypost.example', status: 'verified' }] },
    says: ['good: Resend knows the key and has verified waypost.example.'],
    refusal: 'Resend refuses the credentials (403): check RESEND_API_KEY.',
  },
  brevo: {
    env: brevoEnv,
    path: '/v3/account',
    good: { email: 'owner@waypost.example', relay: { enabled: true } },
    says: ['good: Brevo knows the API key.'],
    refusal: 'Brevo refuses the credentials (403): check BREVO_API_KEY.',
  },
  vonage: {
    env: vonageEnv,
    path: '/v1/conversations?page_size=1',
    good: { page_size: 1, _embedded: { conversations: [] } },
    says: ['good: Vonage knows the application and its key.'],
    refusal: 'Vonage refuses the credentials (403): check VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY.',
  },
  mailgun: {
    env: mailgunEnv,
    path: '/v3/domains/mg.waypost.example',
    good: { domain: { name: 'mg.waypost.example', state: 'active' } },
    says: ['good: Mailgun knows the key and has verified mg.waypost.example.'],
    refusal:
      'Mailgun does not show mg.waypost.example to this key (403): check MAILGUN_API_KEY. A sending key can only send, not be checked.',
  },
  sendgrid: {
    env: sendgridEnv,
    path: '/v3/scopes',
    good: { scopes: ['alerts.read', 'mail.send'] },
    says: ['good: SendGrid knows the key and lets it send.'],
    refusal: 'SendGrid refuses the credentials (403): check SENDGRID_API_KEY.',
  },
  twilio: {
    env: twilioWhatsappEnv,
    path: `/2010-04-01/Accounts/${ACCOUNT_SID}.json`,
    good: { status: 'active', type: 'Full' },
    says: ['good: Twilio knows the account, and it is active.'],
    refusal: 'Twilio refuses the credentials (403): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  },
  meta: {
    env: metaEnv,
    path: `/v23.0/${SHARED_ENV.phoneNumberId}?fields=id,quality_rating`,
    good: { id: SHARED_ENV.phoneNumberId, quality_rating: 'GREEN' },
    says: ['good: WhatsApp knows the token and the phone number.'],
    refusal: 'WhatsApp refuses the credentials (403): check META_ACCESS_TOKEN and META_PHONE_NUMBER_ID.',
  },
} as const;
type ApiName = keyof typeof APIS;

async function asked(name: ApiName, url: string, callMs = 10_000): Promise<string[]> {
  const deps: ApiDeps = { client, callMs };
  const { email, sms, whatsapp } = readConfig(APIS[name].env(url)).providerSettings;
  const [chosen] = [...email.map(emailProvider), ...sms.map(smsProvider), ...whatsapp.map(whatsappProvider)];
  const findings = (await chosen?.check(deps)) ?? [];
  return findings.map(({ state, says }) => `${state}: ${says}`);
}

const names: ApiName[] = [
  'ses',
  'postmark',
  'resend',
  'brevo',
  'mailgun',
  'sendgrid',
  'twilio',
  'vonage',
  'meta',
];

describe.each(names)('%s', (name) => {
  const api = (reply: MockReply): Promise<MockApi> => mockApi(reply);

  test('is asked once, with a call that changes nothing and the credentials of a send', async () => {
    const mock = await api({ status: 200, body: APIS[name].good });
    expect(await asked(name, mock.url)).toEqual(APIS[name].says);
    expect(mock.taken).toMatchObject([{ method: 'GET', path: APIS[name].path, body: '' }]);
    const headers = mock.taken[0]?.headers;
    expect(
      headers?.authorization ?? headers?.['x-postmark-server-token'] ?? headers?.['api-key'],
    ).toBeTruthy();
  });

  test('a refused credential is wrong, and the sentence names its variable', async () => {
    expect(await asked(name, (await api({ status: 403, body: {} })).url)).toEqual([
      `wrong: ${APIS[name].refusal}`,
    ]);
  });

  test('a wrong host, silence, faults and endless answers are told apart', async () => {
    const [refused] = await asked(name, 'http://127.0.0.1:1');
    expect(refused).toMatch(
      /^wrong: .* cannot be reached at 127\.0\.0\.1:1 \(econnrefused\): check the network, and \w+_API_URL if it is set\.$/,
    );
    const [silent] = await asked(name, (await api('never answers')).url, 100);
    expect(silent).toMatch(
      /^wrong: .* did not answer within 1 seconds at 127\.0\.0\.1:\d+: check the network/,
    );
    const [cut] = await asked(name, (await api('closes the connection after the body')).url);
    expect(cut).toMatch(/^wrong: .* cannot be reached at/);
    const [down] = await asked(name, (await api({ status: 503, body: {} })).url);
    expect(down).toMatch(/^wrong: .* has a fault of its own \(503\): look at its status page/);
    const [busy] = await asked(name, (await api({ status: 429, body: {} })).url);
    expect(busy).toMatch(/^warning: .* takes no more calls at the moment \(429\)/);
    expect((await asked(name, (await api('answers without end')).url))[0]).toMatch(/^wrong: /);
    const [moved] = await asked(
      name,
      (await api({ status: 302, headers: { location: 'http://127.0.0.1:2/' } })).url,
    );
    expect(moved).toMatch(/^wrong: .* does not answer at 127\.0\.0\.1:\d+ as it should \(302\)/);
  });
});

describe('what providers say of an account', () => {
  test.each<[ApiName, MockReply, string[]]>([
    [
      'ses',
      { status: 200, body: { SendingEnabled: false } },
      ['wrong: Amazon SES lets this account send nothing: look at the account’s status in its console.'],
    ],
    [
      'ses',
      {
        status: 200,
        body: { SendingEnabled: true, ProductionAccessEnabled: false, SendQuota: { MaxSendRate: 1 } },
      },
      [
        'good: Amazon SES knows the account and lets it send.',
        'warning: The account is in Amazon’s sandbox and reaches verified recipients only: ask to leave it.',
        'warning: Amazon SES allows 1 mails per second, and EMAIL_MAX_PER_SECOND is 14 for each worker.',
      ],
    ],
    [
      'ses',
      { status: 403, body: {}, headers: { 'x-amzn-errortype': 'AccessDeniedException' } },
      [
        'warning: Amazon SES knows the credentials, but they may not read the account: allow ses:GetAccount to have it checked.',
      ],
    ],
    [
      'postmark',
      { status: 200, body: { Name: 'Shop', DeliveryType: 'Sandbox' } },
      [
        'wrong: The token is of a Postmark sandbox server, which delivers nothing: use the token of a live one.',
      ],
    ],
    [
      'postmark',
      { status: 200, body: '<html>' },
      [expect.stringMatching(/^wrong: What answers at .* is not Postmark: check POSTMARK_API_URL\.$/)],
    ],
    [
      'resend',
      { status: 401, body: { name: 'restricted_api_key' } },
      ['good: Resend knows the key. It may only send, so the domain waypost.example could not be looked up.'],
    ],
    [
      'resend',
      { status: 200, body: { data: [] } },
      ['wrong: Resend does not have the domain of EMAIL_FROM (waypost.example): add it there.'],
    ],
    [
      'resend',
      { status: 200, body: { data: [{ name: 'waypost.example', status: 'pending' }] } },
      [
        'wrong: Resend has not verified the domain of EMAIL_FROM (waypost.example is pending): set its DNS records.',
      ],
    ],
    [
      'brevo',
      { status: 200, body: { email: 'owner@waypost.example', relay: { enabled: false } } },
      ['wrong: Brevo knows the key, but has not activated transactional email for this account.'],
    ],
    [
      'mailgun',
      { status: 404, body: { message: 'Domain not found' } },
      [
        'wrong: Mailgun does not have the domain mg.waypost.example: check MAILGUN_DOMAIN, and the region of MAILGUN_API_URL.',
      ],
    ],
    [
      'mailgun',
      { status: 200, body: { domain: { state: 'unverified' } } },
      ['wrong: Mailgun has not verified mg.waypost.example (unverified): set its DNS records.'],
    ],
    [
      'sendgrid',
      { status: 200, body: { scopes: ['alerts.read'] } },
      ['wrong: The SendGrid key may not send: give it the permission Mail Send.'],
    ],
    [
      'twilio',
      { status: 401, body: { code: 20003 } },
      ['wrong: Twilio refuses the credentials (20003): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.'],
    ],
    [
      'twilio',
      { status: 200, body: { status: 'suspended' } },
      ['wrong: The Twilio account is suspended: look at it in Twilio’s console.'],
    ],
    [
      'twilio',
      { status: 200, body: { status: 'active', type: 'Trial' } },
      [
        'good: Twilio knows the account, and it is active.',
        'warning: The Twilio account is on trial and reaches verified numbers only.',
      ],
    ],
    [
      'meta',
      { status: 401, body: { error: { code: 190 } } },
      ['wrong: The token has expired or was revoked (190): renew META_ACCESS_TOKEN.'],
    ],
    [
      'meta',
      { status: 400, body: { error: { code: 100, error_subcode: 33 } } },
      ['wrong: WhatsApp does not know the phone number id (100): check META_PHONE_NUMBER_ID.'],
    ],
  ])('%s %j', async (name, reply, says) => {
    expect(await asked(name, (await mockApi(reply)).url)).toEqual(says);
  });
});

describe('a receiver of the provider http', () => {
  const http = async (url: string): Promise<string[]> => {
    const [chosen] = readConfig(httpSmsEnv(url)).providerSettings.sms.map(smsProvider);
    return ((await chosen?.check({ client })) ?? []).map(({ state, says }) => `${state}: ${says}`);
  };

  test('is asked once, with a signed GET that brings no message', async () => {
    const { url, taken } = await mockApi({ status: 204 });
    expect(await http(url)).toEqual([`good: The receiver at ${new URL(url).host} knows the secret.`]);
    expect(taken).toMatchObject([
      { method: 'GET', path: '/', body: '', headers: { 'webhook-id': expect.stringMatching(/^check_/) } },
    ]);
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = Object(taken[0]?.headers);
    const headers = { id, timestamp, signature };
    expect(isSignedWebhook(PROVIDER_SECRETS.http, headers, Buffer.alloc(0), systemClock.now())).toBe(true);
  });

  test.each<[MockReply, RegExp]>([
    [{ status: 401 }, /^wrong: The receiver refuses the credentials \(401\): check HTTP_PROVIDER_SECRET\.$/],
    [{ status: 405 }, /^warning: .* answers a signed GET with 405, not with 204: /],
    [{ status: 200, body: 'Welcome!' }, /^warning: .* answers a signed GET with 200, not with 204: /],
    [{ status: 404 }, /^wrong: .* as it should \(404\): check HTTP_PROVIDER_SECRET and HTTP_PROVIDER_URL\.$/],
    [{ status: 302 }, /^wrong: .* as it should \(302\): /],
    [{ status: 503 }, /^wrong: .* has a fault of its own \(503\)/],
    [
      'closes the connection after the body',
      /^wrong: .* cannot be reached at .*, and HTTP_PROVIDER_URL if it is set\.$/,
    ],
  ])('%j', async (reply, expected) => {
    const [said] = await http((await mockApi(reply)).url);
    expect(said).toMatch(expected);
  });
});

describe('SMTP', () => {
  const smtp = async (env: Record<string, string>, callMs = 15_000): Promise<string[]> => {
    const { email } = readConfig(env).providerSettings;
    const [chosen] = email.map(emailProvider);
    return ((await chosen?.check({ client, callMs })) ?? []).map(({ state, says }) => `${state}: ${says}`);
  };

  test('over STARTTLS the sign-in is tried, and no mail begun', async () => {
    const server = await smtpServer();
    expect(await smtp(server.env)).toEqual([
      `good: The mail server localhost:${server.port} answers and accepts the sign-in.`,
    ]);
    expect([server.tries(), server.arrived]).toEqual([1, []]);
  });

  test('a wrong password and an untrusted certificate each name their variables', async () => {
    const server = await smtpServer();
    expect(await smtp({ ...server.env, SMTP_PASSWORD: 'wrong' })).toEqual([
      'wrong: The mail server refuses the sign-in: check SMTP_USER and SMTP_PASSWORD.',
    ]);
    const { SMTP_CA: _, ...untrusted } = server.env;
    expect((await smtp(untrusted))[0]).toMatch(/its certificate cannot be trusted \(\w+\): check .*SMTP_CA/);
  });

  test('a wrong host, a server that turns us away, and one that is silent', async () => {
    expect((await smtp(smtpEnv(1)))[0]).toMatch(
      /^wrong: The mail server 127\.0\.0\.1:1 cannot be reached \(\w+\): check SMTP_HOST, SMTP_PORT, SMTP_SECURITY, SMTP_CA and the network\.$/,
    );
    const away = await mockSmtp({ greeting: '554 no service for you' });
    expect((await smtp(smtpEnv(away.port)))[0]).toMatch(/^wrong: The mail server .* turns us away \(554\)/);
    const silent = await mockSmtp({ greeting: 'never answers' });
    expect((await smtp(smtpEnv(silent.port), 200))[0]).toMatch(
      /^wrong: The mail server .* cannot be reached/,
    );
  });
});
