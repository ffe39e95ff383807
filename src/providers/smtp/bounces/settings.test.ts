import { expect, test } from 'vitest';
import { ConfigurationError, readConfig } from '../../../environment/config.ts';

const smtp = { EMAIL_PROVIDER: 'smtp', EMAIL_FROM: 'updates@waypost.example', SMTP_HOST: 'mail.example' };
const domain = { BOUNCE_DOMAIN: 'bounce.example' };
const PASSWORD = 'sixteen letters!';

const read = (env: Record<string, string>) => {
  const [email] = readConfig({ ...smtp, ...env }).providerSettings.email;
  return email?.provider === 'smtp' ? email.bounces : undefined;
};

test('without a domain there are no return addresses', () => expect(read({})).toBeNull());

test('a domain alone is enough, and each way in is set by itself', () => {
  expect(read(domain)).toEqual({ domain: 'bounce.example', password: null, mailbox: null });
  expect(read({ ...domain, BOUNCE_CALLBACK_PASSWORD: PASSWORD })).toMatchObject({ password: PASSWORD });
});

test.each([
  [
    'imaps://b%40x.example:p%3Aw@imap.example',
    { host: 'imap.example', port: 993, folder: 'INBOX', secure: true },
  ],
  ['imaps://b%40x.example:p%3Aw@imap.example:1993/Bounces%20in', { port: 1993, folder: 'Bounces in' }],
  ['imap://b%40x.example:p%3Aw@127.0.0.1/INBOX', { host: '127.0.0.1', port: 143, secure: false }],
])('%s', (url, expected) =>
  expect(read({ ...domain, BOUNCE_IMAP_URL: url })?.mailbox).toMatchObject({
    user: 'b@x.example',
    password: 'p:w',
    ...expected,
  }),
);

const MAILBOX =
  'BOUNCE_IMAP_URL must be imaps://user:password@host/FOLDER, or imap:// where the host is this machine.';
const ALONE = 'BOUNCE_CALLBACK_PASSWORD and BOUNCE_IMAP_URL need BOUNCE_DOMAIN beside them.';
test.each([
  [{ BOUNCE_DOMAIN: 'b@bounce.example' }, 'BOUNCE_DOMAIN must be a domain, but is not.'],
  [
    { ...domain, BOUNCE_CALLBACK_PASSWORD: 'short' },
    'BOUNCE_CALLBACK_PASSWORD must have at least 16 characters.',
  ],
  [{ BOUNCE_CALLBACK_PASSWORD: PASSWORD }, ALONE],
  [{ BOUNCE_IMAP_URL: 'imaps://a:secret@imap.example' }, ALONE],
  ...[
    'imap://a:secret@imap.example',
    'https://a:secret@imap.example',
    'imaps://a@imap.example',
    'imaps://a:%E0secret@x',
    'secret',
  ].map((BOUNCE_IMAP_URL): [Record<string, string>, string] => [{ ...domain, BOUNCE_IMAP_URL }, MAILBOX]),
])('%j is refused in one sentence without its secret', (env, sentence) => {
  expect(() => read(env)).toThrow(new ConfigurationError([sentence]));
  expect(sentence).not.toContain('secret');
});
