import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserTest, openBrowser, type TestBrowser } from '../support/browser.ts';
import { dkimKey, dkimPublicKey } from '../support/providerKeys.ts';
import { expectStatus } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { sendWhen, startProviderService } from './providerService.ts';
import { type ReceivedMail, readMail, verifyDkim } from './receivedMail.ts';
import { MAIL_LOGIN, smtpServer } from './smtpServer.ts';

/** The whole way of one update by a real mail server: push, TLS, signature, mailbox, link, inbox. */
let browser: TestBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const DKIM = {
  SMTP_DKIM_DOMAIN: 'waypost.example',
  SMTP_DKIM_SELECTOR: 'nudges',
  SMTP_DKIM_PRIVATE_KEY: dkimKey,
};

/** A shop’s push, once it lies in the mailbox. */
async function delivered(change: Record<string, unknown> = {}, name = 'Acme Books') {
  const server = await smtpServer();
  const service = await startProviderService({ ...server.env, ...DKIM });
  const shop = await service.business({ name });
  const { id } = await shop.pushed(change);
  await sendWhen(service, id, 'email', { state: 'accepted' });
  const [mail] = server.arrived;
  if (!mail) throw new Error('nothing arrived');
  return { server, service, shop, id, mail, read: readMail(mail.raw) };
}

const linkIn = ({ text }: ReceivedMail): string => /https?:\/\/\S+\/i\/\S+/.exec(text)?.[0] ?? '';

browserTest(
  'a nudge arrives over TLS with a signature that holds, and its link opens the inbox',
  async () => {
    const { server, service, shop, id, mail, read } = await delivered({
      body: 'It left our warehouse this morning.',
    });
    expect(server.arrived).toHaveLength(1);
    expect(mail).toMatchObject({
      from: 'updates@waypost.example',
      to: ['ann@example.com'],
      secure: true,
      user: MAIL_LOGIN.user,
    });
    expect(read.headers.get('from')).toBe('Acme Books <updates@waypost.example>');
    expect(read.headers.get('subject')).toBe('Your order #1001 has shipped');

    const signature = verifyDkim(mail.raw, dkimPublicKey);
    expect(signature.valid).toBe(true);
    expect(signature.tags.get('d')).toBe('waypost.example');
    expect(signature.tags.get('s')).toBe('nudges');
    for (const name of ['from', 'to', 'subject', 'date', 'message-id'])
      expect(signature.signed).toContain(name);

    const link = linkIn(read);
    expect(read.html).toContain(link);
    const page = await (await browser.newProfile()).newPage();
    await page.goto(link);
    await page.waitForURL(/\/inbox/);
    await page.getByText('It left our warehouse this morning.').waitFor();
    await eventually(async () =>
      expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({ delivery: { opened: true } }),
    );
    // The server took it, which is not yet an arrival.
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
      delivery: { delivered: false, failed: null },
    });
    await sendWhen(service, id, 'email', { state: 'accepted' });
  },
);

test('the signature covers both headers of one-click unsubscription, and one click unsubscribes', async () => {
  const { shop, mail, read } = await delivered();
  expect(verifyDkim(mail.raw, dkimPublicKey).signed).toEqual(
    expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']),
  );
  expect(read.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  const address = /<(https?:[^>]+)>/.exec(read.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';

  // Scanners fetch every address in a mail.
  await fetch(address);
  expect((await shop.pushed({ subject: 'Second' })).email).toMatchObject({ sending: true });
  const click = await fetch(address, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(click.status).toBe(200);
  expect((await shop.pushed({ subject: 'Third' })).email).toMatchObject({
    sending: false,
    skipped_reason: 'unsubscribed',
  });
});

test('whatever is changed on the way breaks the signature', async () => {
  const { mail } = await delivered();
  const changes: Record<string, (raw: string) => string> = {
    'the subject': (raw) => raw.replace(/^Subject: .*$/m, 'Subject: Something else'),
    'the sender': (raw) => raw.replace('<updates@waypost.example>', '<updates@evil.example>'),
    'where unsubscribing leads': (raw) => raw.replace(/^(List-Unsubscribe:\s+<https?:\/\/)/m, '$1evil.'),
    'how unsubscribing works': (raw) => raw.replace('List-Unsubscribe=One-Click', 'List-Unsubscribe=Two'),
    'the text': (raw) => raw.replace(/(\r\n\r\n[\s\S]*)Acme/, '$1Acne'),
    'a line at the end': (raw) => `${raw}More.\r\n`,
  };
  for (const [what, change] of Object.entries(changes)) {
    const changed = change(mail.raw);
    expect(changed, what).not.toBe(mail.raw);
    expect(verifyDkim(changed, dkimPublicKey).valid, what).toBe(false);
  }
});

test('letters of any script arrive as they were written, in the subject, the name and the text', async () => {
  const subject = 'Tellimus №7 – “käes” 🎁, täna';
  const { mail, read, shop, id } = await delivered({ subject }, 'Käsitöö & Pojad');
  expect(mail.raw).not.toMatch(/[^\s -~]/);
  expect(decodedWords(read.headers.get('subject') ?? '')).toBe(subject);
  expect(decodedWords(read.headers.get('from') ?? '')).toBe('Käsitöö & Pojad <updates@waypost.example>');
  expect(read.text).toContain('Käsitöö & Pojad');
  expect(verifyDkim(mail.raw, dkimPublicKey).valid).toBe(true);
  expect(expectStatus<{ subject: string }>(200, await shop.get(`/api/v1/messages/${id}`)).subject).toBe(
    subject,
  );
});

/** RFC 2047: encoded words side by side are one text. */
function decodedWords(value: string): string {
  return value.replace(/(\?=)\s+(?==\?)/g, '$1').replace(/((?:=\?utf-8\?[bq]\?[^?]*\?=)+)/gi, (run) => {
    const bytes = [...run.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)].map(([, kind = '', text = '']) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64')
        : Buffer.from(
            text
              .replaceAll('_', ' ')
              .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          ),
    );
    return Buffer.concat(bytes).toString('utf8');
  });
}
