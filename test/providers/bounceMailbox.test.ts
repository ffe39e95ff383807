import { expect, test } from 'vitest';
import { startBounceMailbox } from '../../src/callbacks/bounceMailbox.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { createFaults } from '../../src/providers/faults.ts';
import { readMailbox } from '../../src/providers/smtp/bounces/mailbox.ts';
import { authority } from '../support/certificates.ts';
import { recordingLog } from '../support/recordingLog.ts';
import { eventually } from '../support/waiting.ts';
import { startBounceService, suppressions } from './bounceService.ts';
import { imapServer } from './imapServer.ts';
import { sendWhen } from './providerService.ts';
import { deliveryReport, plainMail } from './returnedMails.ts';

const LOGIN = { user: 'bounces@bounce.example', password: 'the word of the mailbox' };

const urlOf = (port: number, password = LOGIN.password): string =>
  `imaps://${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(password)}@localhost:${port}/INBOX`;

const settingsFor = (port: number) => ({
  host: 'localhost',
  port,
  ...LOGIN,
  folder: 'INBOX',
  secure: true,
  authorities: authority,
});
const LIMITS = () => ({ most: 10, signal: AbortSignal.timeout(60_000) });

/** The product with a mailbox to read; the next round is a minute away unless it is brought forward. */
async function startWithMailbox(password?: string) {
  const imap = await imapServer(LOGIN);
  const started = await startBounceService({
    BOUNCE_IMAP_URL: urlOf(imap.port, password),
    SMTP_CA: authority,
  });
  const readNow = () => started.service.pool.query(`update bounce_mailbox set next_read_at = 'epoch'`);
  return { ...started, imap, readNow };
}

test('a worker reads the mailbox, does what the mails say, and marks them as read', async () => {
  const { service, sent, imap, readNow } = await startWithMailbox();
  const { from, messageId } = await sent();
  imap.put(plainMail('postmaster@bounce.example', ['Buy now!'], { from: 'x@example.net', subject: 'Offer' }));
  imap.put(deliveryReport(from));
  await readNow();
  await sendWhen(service, messageId, 'email', { state: 'failed', reason: 'bounced' });
  await eventually(() => expect(imap.mails.map(({ seen }) => seen)).toEqual([true, true]));
  expect(await suppressions(service)).toEqual(['bounce']);
  expect(JSON.stringify(service.logged)).not.toMatch(/the word|imaps:|b\+/);
});

test('a mail that could not be stored stays unread', async () => {
  const imap = await imapServer(LOGIN);
  imap.put(deliveryReport('b+x@bounce.example'));
  const settings = settingsFor(imap.port);
  const limits = LIMITS();
  const storing = readMailbox(settings, () => Promise.reject(new Error('no database')), limits);
  await expect(storing).rejects.toThrow('no database');
  expect(imap.mails[0]?.seen).toBe(false);

  const read: Buffer[] = [];
  const handle = async (mail: Buffer) => void read.push(mail);
  imap.put(deliveryReport('b+y@bounce.example'));
  expect(await readMailbox(settings, handle, { ...limits, most: 1 })).toBe(true);
  expect(await readMailbox(settings, handle, { ...limits, most: 1 })).toBe(false);
  expect(read).toEqual(imap.mails.map(({ raw }) => raw));
  expect(await readMailbox(settings, handle, limits)).toBe(false);
  expect(read).toHaveLength(2);
});

test('a wrong password and a stranger’s certificate are the operator’s to hear of, and are not tried again at once', async () => {
  const { service, imap } = await startWithMailbox('wrong');
  const ready = async () => (await fetch(`${service.url}/readyz`)).text();
  await eventually(async () => expect(await ready()).toContain('refuses the sign-in: check BOUNCE_IMAP_URL'));
  await eventually(async () => {
    const query = `select next_read_at > now() + interval '30 seconds' as later from bounce_mailbox`;
    expect((await service.pool.query(query)).rows).toEqual([{ later: true }]);
  });
  expect(imap.connections()).toBe(1);
  const reading = readMailbox({ ...settingsFor(imap.port), authorities: null }, async () => {}, LIMITS());
  await expect(reading).rejects.toThrow(/its certificate/);
});

test('a stop does not wait for a mailbox that has fallen silent, and leaves it to others at once', async () => {
  const { service } = await startBounceService();
  const imap = await imapServer(LOGIN);
  imap.fallSilent();
  const log = recordingLog([]);
  const reading = startBounceMailbox({
    pool: service.pool,
    clock: systemClock,
    log,
    faults: createFaults({ clock: systemClock, log }),
    mailbox: settingsFor(imap.port),
    handle: async () => {},
  });
  await eventually(() => expect(imap.open()).toBe(1));
  const began = performance.now();
  await reading.stop();
  expect(performance.now() - began).toBeLessThan(5_000);
  await eventually(() => expect(imap.open()).toBe(0));
  const { rows } = await service.pool.query('select next_read_at <= now() as due from bounce_mailbox');
  expect(rows).toEqual([{ due: true }]);
});
