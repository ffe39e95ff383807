import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROVIDER_SECRETS } from '../../test/support/providerEnvironments.ts';
import { dkimKey, dkimPublicKey } from '../../test/support/providerKeys.ts';
import { OperatorError } from '../kit/errors.ts';
import { ConfigurationError, readConfig } from './config.ts';
import { settingsWarnings } from './providers.ts';

const smtp = { EMAIL_PROVIDER: 'smtp', EMAIL_FROM: 'updates@waypost.example', SMTP_HOST: 'mail.example' };
const ses = {
  EMAIL_PROVIDER: 'ses',
  EMAIL_FROM: 'updates@waypost.example',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
const postmark = {
  EMAIL_PROVIDER: 'postmark',
  EMAIL_FROM: 'updates@waypost.example',
  POSTMARK_SERVER_TOKEN: 'token',
};
const resend = { EMAIL_PROVIDER: 'resend', EMAIL_FROM: 'updates@waypost.example', RESEND_API_KEY: 're_x' };
const brevo = { EMAIL_PROVIDER: 'brevo', EMAIL_FROM: 'updates@waypost.example', BREVO_API_KEY: 'xkeysib-x' };
const mailgun = {
  EMAIL_PROVIDER: 'mailgun',
  EMAIL_FROM: 'updates@waypost.example',
  MAILGUN_API_KEY: 'key',
  MAILGUN_DOMAIN: 'mg.waypost.example',
};
const sendgrid = {
  EMAIL_PROVIDER: 'sendgrid',
  EMAIL_FROM: 'updates@waypost.example',
  SENDGRID_API_KEY: 'SG.x',
};
const account = { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: 'token' };
const twilioSms = { SMS_PROVIDER: 'twilio', ...account, TWILIO_FROM: '+447700900900' };
const vonage = {
  SMS_PROVIDER: 'vonage',
  VONAGE_APPLICATION_ID: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
  VONAGE_PRIVATE_KEY: dkimKey,
  VONAGE_API_KEY: 'abcd1234',
  VONAGE_SIGNATURE_SECRET: 'secret',
  VONAGE_FROM: '+447700900900',
};
const twilioWhatsapp = { WHATSAPP_PROVIDER: 'twilio', ...account, TWILIO_WHATSAPP_FROM: '+447700900901' };
const meta = {
  WHATSAPP_PROVIDER: 'meta',
  META_ACCESS_TOKEN: 'token',
  META_PHONE_NUMBER_ID: '106540352242922',
  META_WABA_ID: '102290129340398',
  META_APP_SECRET: 'secret',
  META_VERIFY_TOKEN: 'a word',
};
const [FIRST_SECRET, SECOND_SECRET, THIRD_SECRET] = ['A', 'B', 'C'].map((one) => `whsec_${one.repeat(32)}`);
const receiver = {
  HTTP_PROVIDER_URL: 'https://gateway.example/waypost',
  HTTP_PROVIDER_SECRET: `${FIRST_SECRET}`,
  HTTP_PROVIDER_CALLBACK_SECRET: `${THIRD_SECRET}`,
};
const httpEmail = { EMAIL_PROVIDER: 'http', EMAIL_FROM: 'updates@waypost.example', ...receiver };
const httpSms = { SMS_PROVIDER: 'http', ...receiver, HTTP_PROVIDER_SMS_FROM: 'Acme Books' };
const httpWhatsapp = { WHATSAPP_PROVIDER: 'http', ...receiver, HTTP_PROVIDER_WHATSAPP_FROM: '+447700900901' };
const paid = { twilioSms, vonage, twilioWhatsapp, meta, httpSms, httpWhatsapp };
const complete = { smtp, ses, postmark, resend, mailgun, sendgrid, brevo, httpEmail, ...paid };

test('each provider is chosen with its own variables, and they can be combined', () => {
  for (const env of Object.values(complete)) expect(() => readConfig(env)).not.toThrow();
  const { providerSettings } = readConfig({ ...postmark, ...twilioSms, ...meta });
  expect(providerSettings).toMatchObject({
    email: [{ provider: 'postmark', from: 'updates@waypost.example', stream: 'outbound', webhook: null }],
    sms: [{ provider: 'twilio', sender: '+447700900900' }],
    whatsapp: [{ provider: 'meta', version: 'v23.0', phoneNumberId: '106540352242922' }],
  });
});

test('the sandbox reads none of them', () => {
  const { providerSettings } = readConfig({ TWILIO_ACCOUNT_SID: 'nonsense', EMAIL_FROM: 'nonsense' });
  expect(providerSettings).toEqual({ email: [], sms: [], whatsapp: [] });
});

describe('a receiver of ours', () => {
  const read = (change: Record<string, string> = {}) =>
    readConfig({ ...httpSms, ...change }).providerSettings.sms;

  test('serves every channel with the same secrets, and is not asked again unless it remembers ids', () => {
    const { email, sms, whatsapp } = readConfig({
      ...httpEmail,
      ...httpSms,
      ...httpWhatsapp,
    }).providerSettings;
    const expected = {
      url: 'https://gateway.example/waypost',
      secrets: [FIRST_SECRET],
      callbackSecret: THIRD_SECRET,
      remembersIds: false,
    };
    expect([...email, ...sms, ...whatsapp]).toMatchObject(
      Array(3).fill({ provider: 'http', receiver: expected }),
    );
    expect(read({ HTTP_PROVIDER_REPEATS: 'yes' })).toMatchObject([{ receiver: { remembersIds: true } }]);
  });

  test.each([' ', ',', ', '])('may have two secrets, with %j between them', (between) => {
    const both = `${FIRST_SECRET}${between}${SECOND_SECRET}`;
    expect(read({ HTTP_PROVIDER_SECRET: both })).toMatchObject([
      { receiver: { secrets: [FIRST_SECRET, SECOND_SECRET] } },
    ]);
  });

  test.each([
    'http://127.0.0.1:8026/',
    'http://localhost:8026',
    'http://[::1]:8026/waypost',
    'https://[2001:db8::1]/a',
    'https://gateway.example:8443/a/',
  ])('may be at %s', (url) => {
    expect(read({ HTTP_PROVIDER_URL: url })).toMatchObject([{ receiver: { url } }]);
  });

  test.each<[string, string]>([
    ['HTTP_PROVIDER_URL', 'http://gateway.example/'],
    ['HTTP_PROVIDER_URL', 'https://gateway.example/?key=hunter2'],
    ['HTTP_PROVIDER_URL', 'https://me:hunter2@gateway.example/'],
    ['HTTP_PROVIDER_URL', 'ftp://gateway.example/'],
    ['HTTP_PROVIDER_URL', 'gateway.example'],
    ['HTTP_PROVIDER_SECRET', 'hunter2'],
    ['HTTP_PROVIDER_SECRET', `whsec_${'A'.repeat(31)}`],
    ['HTTP_PROVIDER_SECRET', `whsec_${'A'.repeat(28)}AA==`],
    ['HTTP_PROVIDER_SECRET', `whsec_${'A'.repeat(33)}`],
    ['HTTP_PROVIDER_SECRET', [FIRST_SECRET, SECOND_SECRET, FIRST_SECRET].join(' ')],
    ['HTTP_PROVIDER_CALLBACK_SECRET', `${FIRST_SECRET} ${SECOND_SECRET}`],
    ['HTTP_PROVIDER_SMS_FROM', 'A name that is too long'],
  ])('%s cannot be %s, which is not repeated', (variable, value) => {
    const { mistakes } = mistakesOf({ ...httpSms, [variable]: value });
    expect(mistakes).toEqual([expect.stringMatching(new RegExp(`^${variable} must be .*, but is not\\.$`))]);
    expect(mistakes.join()).not.toContain('hunter2');
  });

  test.each([FIRST_SECRET, `${SECOND_SECRET} ${THIRD_SECRET}`])(
    'which signs with the secret of its callbacks would believe its own requests (%#)',
    (secret) => {
      const callbackSecret = secret === FIRST_SECRET ? FIRST_SECRET : THIRD_SECRET;
      const env = { HTTP_PROVIDER_SECRET: `${secret}`, HTTP_PROVIDER_CALLBACK_SECRET: `${callbackSecret}` };
      expect(() => read(env)).toThrow(
        'HTTP_PROVIDER_CALLBACK_SECRET and HTTP_PROVIDER_SECRET are the same: make another one.',
      );
    },
  );
});

/** What is wrong with it. */
function mistakesOf(env: Record<string, string>): ConfigurationError {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
  }
  throw new Error('nothing is wrong with it');
}

describe('several providers of a channel', () => {
  test('keep the order in which they are written, each with its own variables', () => {
    const { providers, providerSettings } = readConfig({
      ...postmark,
      ...ses,
      EMAIL_PROVIDER: 'postmark, ses',
    });
    expect(providers.email).toEqual(['postmark', 'ses']);
    expect(providerSettings.email.map(({ provider }) => provider)).toEqual(['postmark', 'ses']);
  });

  test.each([
    ['postmark,sandbox', 'EMAIL_PROVIDER names sandbox beside another provider: the sandbox sends nothing.'],
    ['postmark,postmark', 'EMAIL_PROVIDER names one of its options twice.'],
    [
      'postmark,mx',
      'EMAIL_PROVIDER must be one of sandbox, smtp, ses, postmark, resend, brevo, mailgun, sendgrid, http, but is "mx".',
    ],
  ])('%s makes no sense', (EMAIL_PROVIDER, sentence) => {
    expect(() => readConfig({ ...postmark, EMAIL_PROVIDER })).toThrow(new ConfigurationError([sentence]));
  });
});

describe('what is missing is named', () => {
  const required = Object.entries(complete).flatMap(([name, env]) =>
    Object.keys(env)
      .filter((variable) => !variable.endsWith('_PROVIDER') && variable !== 'TWILIO_FROM')
      .map((variable) => [name, variable, env] as const),
  );
  test.each(required)('%s: %s', (_name, variable, env) => {
    const { [variable]: _, ...without }: Record<string, string> = env;
    expect(() => readConfig(without)).toThrow(OperatorError);
    expect(() => readConfig(without)).toThrow(
      new RegExp(
        `^(EMAIL|SMS|WHATSAPP)_PROVIDER is \\w+, which needs ${variable} \\(or ${variable}_FILE\\): [^\\n]+\\.$`,
      ),
    );
  });

  test('texts need something to come from', () => {
    expect(() => readConfig({ ...twilioSms, TWILIO_FROM: '' })).toThrow(
      'SMS_PROVIDER is twilio, which needs TWILIO_MESSAGING_SERVICE_SID or TWILIO_FROM: the sender of texts.',
    );
  });
});

describe('what makes no sense is one sentence, which never repeats a secret', () => {
  test.each<[Record<string, string>, string]>([
    [
      { ...smtp, EMAIL_FROM: 'Acme <a@b.example>' },
      'EMAIL_FROM must be an email address without a name, but is "Acme <a@b.example>".',
    ],
    [{ ...smtp, SMTP_PORT: '0' }, 'SMTP_PORT must be a whole number from 1 to 65535, but is "0".'],
    [{ ...smtp, SMTP_SECURITY: 'ssl' }, 'SMTP_SECURITY must be one of starttls, tls, none, but is "ssl".'],
    [{ ...smtp, SMTP_USER: 'me' }, 'SMTP_USER and SMTP_PASSWORD go together: set both, or neither.'],
    [
      { ...smtp, SMTP_SECURITY: 'none', SMTP_USER: 'me', SMTP_PASSWORD: 'hunter2' },
      'SMTP_SECURITY is none, which would send SMTP_PASSWORD in the clear: use starttls or tls.',
    ],
    [
      { ...smtp, SMTP_DKIM_DOMAIN: 'waypost.example' },
      'SMTP_DKIM_DOMAIN, SMTP_DKIM_SELECTOR and SMTP_DKIM_PRIVATE_KEY go together: set all three, or none.',
    ],
    [
      {
        ...smtp,
        SMTP_DKIM_DOMAIN: 'waypost.example',
        SMTP_DKIM_SELECTOR: 'w1',
        SMTP_DKIM_PRIVATE_KEY: 'hunter2',
      },
      'SMTP_DKIM_PRIVATE_KEY must be an RSA private key in PEM form.',
    ],
    [{ ...smtp, SMTP_CA: 'hunter2' }, 'SMTP_CA must be certificates in PEM form, but is not.'],
    [{ ...ses, AWS_REGION: 'hunter2' }, 'AWS_REGION must be a region such as eu-west-1, but is not.'],
    [
      { ...ses, SES_SNS_TOPICS: 'events' },
      'SES_SNS_TOPICS must be topic ARNs separated by commas (arn:aws:sns:REGION:ACCOUNT:NAME), but holds "events".',
    ],
    [
      { ...postmark, POSTMARK_WEBHOOK_PASSWORD: 'hunter2' },
      'POSTMARK_WEBHOOK_PASSWORD must have at least 16 characters.',
    ],
    [
      { ...postmark, POSTMARK_API_URL: 'http://api.postmarkapp.com' },
      'POSTMARK_API_URL must be an https address without a query (http only for this machine), but is "http://api.postmarkapp.com".',
    ],
    [
      { ...resend, RESEND_WEBHOOK_SECRET: 'hunter2' },
      'RESEND_WEBHOOK_SECRET must be the signing secret of the webhook, which starts with whsec_, but is not.',
    ],
    [
      { ...brevo, BREVO_WEBHOOK_TOKEN: 'hunter2' },
      'BREVO_WEBHOOK_TOKEN must be at least 16 characters without a space, but is not.',
    ],
    [
      { ...vonage, VONAGE_APPLICATION_ID: 'hunter2' },
      'VONAGE_APPLICATION_ID must be the id of an application, a UUID, but is not.',
    ],
    [
      { ...vonage, VONAGE_PRIVATE_KEY: 'hunter2' },
      'VONAGE_PRIVATE_KEY must be an RSA private key in PEM form.',
    ],
    [
      { ...vonage, VONAGE_FROM: 'hunter2 hunter2' },
      'VONAGE_FROM must be a number such as +37255550134, a short code, or a name of up to 11 letters and digits, but is not.',
    ],
    [{ ...mailgun, MAILGUN_DOMAIN: 'hunter2' }, 'MAILGUN_DOMAIN must be a domain, but is not.'],
    ...['hunter2', PROVIDER_SECRETS.sendgrid.slice(0, -8), dkimPublicKey].map(
      (key): [Record<string, string>, string] => [
        { ...sendgrid, SENDGRID_WEBHOOK_PUBLIC_KEY: key },
        'SENDGRID_WEBHOOK_PUBLIC_KEY must be the verification key of the signed event webhook, a P-256 public key in base64, but is not.',
      ],
    ),
    [
      { ...twilioSms, TWILIO_ACCOUNT_SID: 'hunter2' },
      'TWILIO_ACCOUNT_SID must be the SID of the account, AC and 32 characters, but is not.',
    ],
    [
      { ...twilioSms, TWILIO_MESSAGING_SERVICE_SID: `MG${'0'.repeat(32)}` },
      'TWILIO_MESSAGING_SERVICE_SID and TWILIO_FROM are both set: set only one.',
    ],
    [{ ...meta, META_GRAPH_VERSION: '23' }, 'META_GRAPH_VERSION must look like v23.0, but is "23".'],
    [
      { ...postmark, EMAIL_MAX_PER_SECOND: '0' },
      'EMAIL_MAX_PER_SECOND must be a whole number from 1 to 10000, but is "0".',
    ],
  ])('%j', (env, sentence) => {
    expect(() => readConfig(env)).toThrow(new ConfigurationError([sentence]));
    expect(sentence).not.toContain('hunter2');
  });
});

describe('secrets in files', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waypost-secrets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  const everySecret = [
    {
      ...smtp,
      SMTP_USER: 'waypost',
      SMTP_PASSWORD: 'a password',
      SMTP_CA: '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----',
    },
    { ...ses, AWS_SESSION_TOKEN: 'a session' },
    { ...postmark, POSTMARK_WEBHOOK_PASSWORD: 'a password of some length' },
    { ...resend, RESEND_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    { ...brevo, BREVO_WEBHOOK_TOKEN: 'a-token-of-some-length' },
    { ...mailgun, MAILGUN_WEBHOOK_SIGNING_KEY: 'a key' },
    { ...sendgrid, SENDGRID_WEBHOOK_PUBLIC_KEY: PROVIDER_SECRETS.sendgrid },
    twilioSms,
    vonage,
    twilioWhatsapp,
    meta,
  ].flatMap((env) =>
    Object.entries(env)
      .filter(([name]) => /USER|PASSWORD|TOKEN|SECRET|KEY|_CA$/.test(name))
      .map(([name, value]) => [name, value, env] as const),
  );

  test.each(everySecret)('%s is read without the line break at its end', (name, value, env) => {
    const fromFile = { ...env, [name]: '', [`${name}_FILE`]: file(name, `${value}\n`) };
    expect(readConfig(fromFile).providerSettings).toEqual(readConfig(env).providerSettings);
  });

  test('the key of an application of Vonage may have its line breaks written out', () => {
    const { providerSettings } = readConfig({
      ...vonage,
      VONAGE_PRIVATE_KEY: dkimKey.replaceAll('\n', '\\n'),
    });
    expect(providerSettings.sms).toMatchObject([{ privateKey: dkimKey }]);
  });

  test('a DKIM key, in a file or in a variable with its line breaks written out', () => {
    const dkim = { SMTP_DKIM_DOMAIN: 'waypost.example', SMTP_DKIM_SELECTOR: 'w1' };
    const expected = { dkim: { privateKey: dkimKey } };
    const fromFile = readConfig({
      ...smtp,
      ...dkim,
      SMTP_DKIM_PRIVATE_KEY_FILE: file('dkim', `${dkimKey}\n`),
    });
    const fromText = readConfig({ ...smtp, ...dkim, SMTP_DKIM_PRIVATE_KEY: dkimKey.replaceAll('\n', '\\n') });
    expect(fromFile.providerSettings.email).toMatchObject([expected]);
    expect(fromText.providerSettings.email).toMatchObject([expected]);
  });

  test('the secret key and the address of the database may stand in files, too', () => {
    const config = readConfig({
      DATABASE_URL_FILE: file('database', 'postgresql://db.internal/waypost\n'),
      SECRET_KEY_FILE: file('secret', '4b7e19c05ad83f62e1079bd4c8a2563f\n'),
    });
    expect(config).toMatchObject({
      databaseUrl: 'postgresql://db.internal/waypost',
      secretKeys: ['4b7e19c05ad83f62e1079bd4c8a2563f'],
    });
  });

  test.each([
    [
      'a file that is not there',
      () => ({ RESEND_API_KEY: '', RESEND_API_KEY_FILE: join(folder, 'nothing') }),
      /^RESEND_API_KEY_FILE is ".*nothing", which cannot be read \(ENOENT\)\.$/,
    ],
    [
      'an empty file',
      () => ({ RESEND_API_KEY: '', RESEND_API_KEY_FILE: file('empty', '\n') }),
      /^RESEND_API_KEY_FILE is ".*empty", which is empty\.$/,
    ],
    [
      'both',
      () => ({ RESEND_API_KEY_FILE: file('key', 'x') }),
      /^RESEND_API_KEY and RESEND_API_KEY_FILE are both set: set only one\.$/,
    ],
  ])('%s', (_what, change, sentence) => {
    expect(() => readConfig({ ...resend, ...change() })).toThrow(sentence);
  });
});

describe('what works, but not as it was meant, is said', () => {
  const warnings = (env: Record<string, string>, publicUrl = 'https://updates.example.com') =>
    settingsWarnings(readConfig(env).providerSettings, publicUrl);

  test.each<[string, Record<string, string>, string | undefined, RegExp]>([
    ['reports cannot arrive', twilioSms, 'http://localhost:8080', /^PUBLIC_URL /],
    ['reports cannot arrive without TLS', meta, 'http://updates.example.com', /^PUBLIC_URL /],
    ['mail travels unencrypted', { ...smtp, SMTP_SECURITY: 'none' }, undefined, /^SMTP_SECURITY /],
    ['reports of SES do not arrive', ses, undefined, /^SES_SNS_TOPICS /],
    ['reports of Postmark do not arrive', postmark, undefined, /^POSTMARK_WEBHOOK_PASSWORD /],
    ['reports of Brevo do not arrive', brevo, undefined, /^BREVO_WEBHOOK_TOKEN /],
    ['reports of Mailgun do not arrive', mailgun, undefined, /^MAILGUN_WEBHOOK_SIGNING_KEY /],
    ['reports of SendGrid do not arrive', sendgrid, undefined, /^SENDGRID_WEBHOOK_PUBLIC_KEY /],
    ['reports of Resend do not arrive', resend, undefined, /^RESEND_WEBHOOK_SECRET /],
  ])('%s', (_what, env, publicUrl, sentence) => {
    expect(warnings(env, publicUrl)).toEqual([expect.stringMatching(sentence)]);
  });

  test('and otherwise nothing is', () => {
    expect(warnings({ ...smtp, ...twilioSms, ...meta })).toEqual([]);
    expect(
      warnings({ ...smtp, SMTP_HOST: '127.0.0.1', SMTP_SECURITY: 'none' }, 'http://localhost:8080'),
    ).toEqual([]);
    expect(warnings({}, 'http://localhost:8080')).toEqual([]);
  });
});
