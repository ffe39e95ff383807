import { describe, expect, test } from 'vitest';
import { openConsole } from '../cli/console.ts';
import { smtpEnv } from '../support/providerEnvironments.ts';
import { BOUNCE_PASSWORD, postMail, startBounceService, suppressions } from './bounceService.ts';
import { mockSmtp } from './mockSmtp.ts';
import { metricValue, sendWhen, startProviderService } from './providerService.ts';
import { complaintReport, deliveryReport, plainMail } from './returnedMails.ts';

const MiB = 1024 * 1024;
const full = { status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 mailbox full' };
let reports = 0;
/** A mail server gives each of its reports an id of its own. */
const report = (to: string, more = {}): Buffer => {
  reports += 1;
  return deliveryReport(to, { messageId: `<r${reports}@mail.example>`, ...more });
};

test('without BOUNCE_DOMAIN mails come back to their From address, and nothing takes them', async () => {
  const server = await mockSmtp();
  const service = await startProviderService(smtpEnv(server.port));
  const { id } = await (await service.business()).pushed();
  await sendWhen(service, id, 'email', { state: 'accepted' });
  expect(server.taken[0]?.from).toBe('updates@waypost.example');
  expect((await postMail(service.url, deliveryReport('x@example.com'))).status).toBe(404);
});

test('each mail has a return address of its own, and the From address stays', async () => {
  const { sent } = await startBounceService();
  const [one, other] = [await sent(), await sent('bob@example.com')];
  for (const mail of [one, other]) {
    expect(mail.from).toMatch(/^b\+[0-9a-z]{62}@bounce\.example$/);
    expect(mail.raw).toMatch(/^From: .*<updates@waypost\.example>\r$/m);
    expect(mail.raw).not.toContain(mail.from);
  }
  expect(one.from).not.toBe(other.from);
});

describe('what a returned mail does', () => {
  test('a hard bounce fails the nudge, suppresses the address, and does nothing the second time', async () => {
    const { service, shop, sent } = await startBounceService();
    const { from, messageId } = await sent();
    const mail = report(from);
    expect((await postMail(service.url, mail)).status).toBe(200);
    await sendWhen(service, messageId, 'email', { state: 'failed', reason: 'bounced' });
    expect((await shop.get(`/api/v1/messages/${messageId}`)).body).toMatchObject({
      delivery: { bounced: true },
    });
    expect(await suppressions(service)).toEqual(['bounce']);
    expect((await shop.pushed({ recipient_email: 'ann@example.com' })).email).toMatchObject({
      sending: false,
    });

    const before = (await service.pool.query('select count(*) from events')).rows;
    expect((await postMail(service.url, mail)).status).toBe(200);
    expect((await service.pool.query('select count(*) from events')).rows).toEqual(before);
    const counted = (outcome: string) =>
      metricValue(service.url, 'waypost_callbacks_total', { provider: 'smtp', outcome });
    expect(await counted('applied')).toBe(1);
    expect(await counted('repeated')).toBe(1);
  });

  test('a full mailbox suppresses the address the third time within 30 days', async () => {
    const { service, sent } = await startBounceService();
    const bounce = async () => {
      const { from, messageId } = await sent();
      await postMail(service.url, report(from, full));
      await sendWhen(service, messageId, 'email', { state: 'failed', reason: 'bounced' });
      return messageId;
    };
    const first = await bounce();
    await bounce();
    expect(await suppressions(service)).toEqual([]);
    await service.pool.query(
      `update sends set bounced_at = bounced_at - interval '31 days' where message_id = $1`,
      [first],
    );
    await bounce();
    expect(await suppressions(service)).toEqual([]);
    await bounce();
    expect(await suppressions(service)).toEqual(['bounce']);
  });

  test('a mailbox that is switched off suppresses the address the second time, and nobody else’s', async () => {
    const { service, sent } = await startBounceService();
    const off = { status: '5.2.1', diagnostic: 'smtp; 550 5.2.1 disabled' };
    await postMail(service.url, report((await sent('bob@example.com')).from, off));
    await postMail(service.url, report((await sent()).from, off));
    expect(await suppressions(service)).toEqual([]);
    await postMail(service.url, report((await sent()).from, off));
    expect(await suppressions(service)).toEqual(['bounce']);
    expect(await suppressions(service, 'bob@example.com')).toEqual([]);
  });

  test('a policy fails the nudge and tells the operator, and the address stays', async () => {
    const { service, sent } = await startBounceService();
    const { from, messageId } = await sent();
    await postMail(
      service.url,
      report(from, { status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 ann@example.com spam' }),
    );
    await sendWhen(service, messageId, 'email', { state: 'failed', reason: 'esp_refused' });
    expect(await suppressions(service)).toEqual([]);
    expect(await (await fetch(`${service.url}/readyz`)).text()).toContain(
      'because of its policy or the content (5.7.1)',
    );
    expect(JSON.stringify(service.logged)).not.toMatch(/ann@|b\+/);
  });

  test('a complaint suppresses the address', async () => {
    const { service, sent } = await startBounceService();
    const { from, messageId } = await sent();
    await postMail(service.url, complaintReport(from));
    await sendWhen(service, messageId, 'email', { state: 'delivered' });
    expect(await suppressions(service)).toEqual(['complaint']);
  });

  test('a delay, an automatic reply and a forged address do nothing but are counted', async () => {
    const { service, sent } = await startBounceService();
    const { from, messageId } = await sent();
    const forged = `${from.slice(0, 50)}${'0'.repeat(14)}@bounce.example`;
    for (const mail of [
      report(from, { action: 'delayed', status: '4.4.1' }),
      plainMail(from, ['I am away.'], {
        from: 'ann@example.com',
        subject: 'Away',
        headers: ['Precedence: bulk'],
      }),
      report(forged),
      Buffer.from('\0\xff'),
    ])
      expect((await postMail(service.url, mail)).status).toBe(200);
    await sendWhen(service, messageId, 'email', { state: 'accepted' });
    expect(
      await metricValue(service.url, 'waypost_callbacks_total', {
        provider: 'smtp',
        outcome: 'ignored',
      }),
    ).toBe(4);
  });
});

describe('the address of the callbacks', () => {
  test('takes the password as Basic by any name, or as a bearer token, and nothing else', async () => {
    const { service, sent } = await startBounceService();
    const { from, messageId } = await sent();
    const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;
    for (const wrong of [
      '',
      'Bearer wrong',
      basic(`waypost:${BOUNCE_PASSWORD}x`),
      basic(BOUNCE_PASSWORD.slice(1)),
      'Basic %',
    ])
      expect((await postMail(service.url, report(from), wrong)).status, wrong).toBe(401);
    await sendWhen(service, messageId, 'email', { state: 'accepted' });
    const delayed = report(from, { action: 'delayed' });
    for (const right of [basic(`postfix:${BOUNCE_PASSWORD}`), basic(`:${BOUNCE_PASSWORD}`)])
      expect((await postMail(service.url, delayed, right)).status).toBe(200);
  });

  test('takes a mail of a mebibyte and none that is longer', async () => {
    const { service, sent } = await startBounceService({ BOUNCE_CALLBACK_PASSWORD: 'without-white-space' });
    const { from, messageId } = await sent();
    const mail = report(from);
    const padded = (bytes: number) => Buffer.concat([mail, Buffer.alloc(bytes - mail.length, 'a')]);
    expect((await postMail(service.url, padded(MiB + 1), 'Bearer without-white-space')).status).toBe(413);
    expect((await postMail(service.url, padded(MiB), 'Bearer without-white-space')).status).toBe(200);
    await sendWhen(service, messageId, 'email', { state: 'failed', reason: 'bounced' });
  });
});

describe('waypost bounces ingest', () => {
  test('does the same with a mail on standard input, and tells what it was', async () => {
    const { service, sent } = await startBounceService();
    const { from, messageId, send } = await sent();
    const cli = openConsole(service.database.url, {
      ...smtpEnv(25),
      BOUNCE_DOMAIN: 'bounce.example',
      SECRET_KEY: service.secretKey,
    });
    const ingest = async (mail: Buffer) => {
      const { code, out, err } = await cli.pipe(mail.toString(), 'bounces', 'ingest', '--json');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out);
    };
    const mail = report(from);
    expect(await ingest(mail)).toEqual({
      business_id: send.business_id,
      send_id: send.id,
      verdict: 'bounce',
      severity: 'hard',
      status: '5.1.1',
      why: null,
      applied: 1,
      unchanged: 0,
      repeated: 0,
      unknown: 0,
      alarm: null,
    });
    await sendWhen(service, messageId, 'email', { state: 'failed', reason: 'bounced' });
    expect(await ingest(mail)).toMatchObject({ applied: 0, repeated: 1 });
    expect(await ingest(report('ann@example.com'))).toMatchObject({
      send_id: null,
      verdict: 'not_a_bounce',
      why: 'not_ours',
    });
  });

  test('without a mail, or without return addresses, says so', async () => {
    const { service } = await startBounceService();
    const env = { ...smtpEnv(25), SECRET_KEY: service.secretKey };
    const refused = async (more: Record<string, string>) =>
      (await openConsole(service.database.url, { ...env, ...more }).mistake('bounces', 'ingest')).trim();
    expect(await refused({})).toBe('bounces ingest needs EMAIL_PROVIDER=smtp and BOUNCE_DOMAIN.');
    expect(await refused({ BOUNCE_DOMAIN: 'bounce.example' })).toMatch(/which is empty\.$/);
  });
});
