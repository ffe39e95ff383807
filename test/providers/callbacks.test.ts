import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Channel } from '../../src/nudges/channels.ts';
import type { Send } from '../../src/outbox/send.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { expectStatus, type Shop } from '../helpers/shop.ts';
import {
  fromMeta,
  fromPostmark,
  fromResend,
  fromSns,
  fromTwilio,
  metaInbound,
  metaStatus,
  type Posted,
  postmarkRecord,
  resendEvent,
  sesEvent,
  snsStandIn,
  twilioInbound,
  twilioReport,
} from './callers.ts';
import { metaEnv, postmarkEnv, resendEnv, SECRETS, sesEnv, twilioSmsEnv } from './environments.ts';
import { counted, sendWhen } from './house.ts';

/** Takes whatever it is sent, in the words of every provider at once. */
const TAKEN = JSON.stringify({
  sid: `SM${'1'.repeat(32)}`,
  MessageID: 'pm-1',
  ErrorCode: 0,
  Message: 'OK',
  id: 're-1',
  MessageId: 'ses-1',
  messages: [{ id: 'wamid.1' }],
});

interface House {
  service: TestService;
  shop: Shop;
}

const sns = snsStandIn();
let api: Server;
let postmark: House;
let resend: House;
let ses: House;

beforeAll(async () => {
  api = createServer((request, response) => request.resume().on('end', () => response.end(TAKEN))).listen(
    0,
    '127.0.0.1',
  );
  await once(api, 'listening');
  const address = api.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const house = async (env: Record<string, string>, seams = {}): Promise<House> => {
    const service = await startService(env, seams);
    return { service, shop: await service.business({ credits: 100 }) };
  };
  // The first also carries texts and WhatsApp.
  postmark = await house({ ...postmarkEnv(url), ...twilioSmsEnv(url), ...metaEnv(url) });
  resend = await house(resendEnv(url));
  ses = await house(sesEnv(url), { sns });
});
afterAll(async () => {
  for (const { service } of [postmark, resend, ses]) await service.close();
  api.closeAllConnections();
  api.close();
});

let people = 0;

interface Sent extends Send {
  messageId: string;
  reference: string;
  address: string;
  phone: string;
}

/** A message to somebody new, taken by the provider of a channel. */
async function sent({ service, shop }: House, channel: Channel): Promise<Sent> {
  people += 1;
  const address = `person${people}@example.com`;
  const phone = `+4477009${10_000 + people}`;
  const { id } = await shop.pushed({
    recipient_email: address,
    ...(channel !== 'email' && { recipient_phone: phone, channels: [channel] }),
    ...(channel === 'whatsapp' && {
      whatsapp_opt_in: { source: 'checkout' },
      reference: '#1',
      order_status: 'shipped',
    }),
  });
  const send = await sendWhen(service, id, channel, { state: 'accepted' });
  return { ...send, messageId: id, reference: `${send.business_id}-${send.id}`, address, phone };
}

const now = async ({ service }: House, { messageId, channel }: Sent): Promise<Send> =>
  sendWhen(service, messageId, channel, {});

const told = async ({ service }: House, { messageId }: Sent): Promise<string[]> => {
  const { rows } = await service.pool.query<{ type: string }>(
    'select type from events where message_id = $1 order by id',
    [messageId],
  );
  return rows.map(({ type }) => type);
};

const recipientOf = async ({ service }: House, { recipient_id }: Sent) =>
  (await service.pool.query('select * from recipients where id = $1', [recipient_id])).rows[0];

const suppressed = async ({ service }: House, { address }: Sent): Promise<string[]> => {
  const { rows } = await service.pool.query('select reason from suppressions where email_hash = $1', [
    service.hash('email', address),
  ]);
  return rows.map(({ reason }) => reason);
};

describe('reports of email', () => {
  const hard = { bounceType: 'Permanent', bounceSubType: 'General' };
  const soft = { bounceType: 'Transient', bounceSubType: 'MailboxFull' };
  test.each<
    [string, () => House, (url: string, reference: string) => Promise<Posted>, Partial<Send>, string[]]
  >([
    [
      'Postmark: delivered',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Delivery'),
      { state: 'delivered' },
      [],
    ],
    [
      'Postmark: a hard bounce',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 42, Type: 'HardBounce' }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Postmark: a soft bounce',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 43, Type: 'SoftBounce' }),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'Postmark: deactivated by any bounce',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 44, Type: 'SoftBounce', Inactive: true }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Postmark: still being tried',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 45, Type: 'Transient' }),
      { state: 'accepted' },
      [],
    ],
    [
      'Postmark: an automatic reply',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 46, Type: 'AutoResponder' }),
      { state: 'accepted' },
      [],
    ],
    [
      'Postmark: a complaint',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'SpamComplaint', { ID: 47, Type: 'SpamComplaint' }),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'Postmark: opened',
      () => postmark,
      (url, ref) => postmarkRecord(url, ref, 'Open'),
      { state: 'accepted' },
      [],
    ],
    [
      'Resend: delivered',
      () => resend,
      (url, ref) => resendEvent(url, ref, 'email.delivered'),
      { state: 'delivered' },
      [],
    ],
    [
      'Resend: a permanent bounce',
      () => resend,
      (url, ref) =>
        resendEvent(url, ref, 'email.bounced', { bounce: { type: 'Permanent', subType: 'General' } }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Resend: a passing bounce',
      () => resend,
      (url, ref) => resendEvent(url, ref, 'email.bounced', { bounce: { type: 'Transient' } }),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'Resend: suppressed',
      () => resend,
      (url, ref) =>
        resendEvent(url, ref, 'email.suppressed', { suppressed: { type: 'OnAccountSuppressionList' } }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Resend: a complaint',
      () => resend,
      (url, ref) => resendEvent(url, ref, 'email.complained'),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'Resend: failed',
      () => resend,
      (url, ref) => resendEvent(url, ref, 'email.failed', { failed: { reason: 'reached_daily_quota' } }),
      { state: 'failed', reason: 'esp_refused' },
      [],
    ],
    [
      'Resend: delayed',
      () => resend,
      (url, ref) => resendEvent(url, ref, 'email.delivery_delayed'),
      { state: 'accepted' },
      [],
    ],
    ['SES: delivered', () => ses, (url, ref) => sesEvent(url, ref, 'Delivery'), { state: 'delivered' }, []],
    [
      'SES: a permanent bounce',
      () => ses,
      (url, ref) => sesEvent(url, ref, 'Bounce', { bounce: hard }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'SES: a transient bounce',
      () => ses,
      (url, ref) => sesEvent(url, ref, 'Bounce', { bounce: soft }),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'SES: a complaint',
      () => ses,
      (url, ref) => sesEvent(url, ref, 'Complaint', { complaint: { complaintFeedbackType: 'abuse' } }),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'SES: the opposite of a complaint',
      () => ses,
      (url, ref) => sesEvent(url, ref, 'Complaint', { complaint: { complaintFeedbackType: 'not-spam' } }),
      { state: 'accepted' },
      [],
    ],
    [
      'SES: rejected',
      () => ses,
      (url, ref) => sesEvent(url, ref, 'Reject', { reject: { reason: 'Bad content' } }),
      { state: 'rejected', reason: 'esp_refused' },
      [],
    ],
    ['SES: delayed', () => ses, (url, ref) => sesEvent(url, ref, 'DeliveryDelay'), { state: 'accepted' }, []],
    [
      'SES: a notification of an identity',
      () => ses,
      (url, ref) =>
        fromSns(url, {
          Message: JSON.stringify({
            notificationType: 'Delivery',
            mail: { tags: { waypost_reference: [ref] } },
          }),
        }),
      { state: 'delivered' },
      [],
    ],
  ])('%s', async (_what, house, report, expected, reasons) => {
    const send = await sent(house(), 'email');
    expect((await report(house().service.url, send.reference)).status).toBe(200);
    expect(await now(house(), send)).toMatchObject(expected);
    expect(await suppressed(house(), send)).toEqual(reasons);
  });
});

describe('reports of texts and WhatsApp', () => {
  type Case = [string, Channel, (url: string, send: Sent) => Promise<Posted>, Partial<Send>];
  const twilio = (status: string, code?: number) => (url: string, send: Sent) =>
    twilioReport(url, send.reference, status, { To: send.phone, ...(code && { ErrorCode: String(code) }) });
  const meta = (status: string, code?: number) => (url: string, send: Sent) =>
    metaStatus(url, send.reference, status, code);

  test.each<Case>([
    ['on the way', 'sms', twilio('sent'), { state: 'accepted' }],
    ['delivered', 'sms', twilio('delivered'), { state: 'delivered', charged: true }],
    [
      'a handset that cannot be reached',
      'sms',
      twilio('undelivered', 30003),
      { state: 'failed', charged: true, error_code: 'handset_unreachable' },
    ],
    [
      'filtered',
      'sms',
      twilio('undelivered', 30007),
      { state: 'failed', charged: true, error_code: 'filtered' },
    ],
    [
      'a code nobody knows',
      'sms',
      twilio('undelivered', 39999),
      { state: 'failed', error_code: 'twilio_39999' },
    ],
    [
      'never left Twilio',
      'sms',
      twilio('failed', 30001),
      { state: 'rejected', charged: false, error_code: 'platform_limited' },
    ],
    ['cancelled', 'sms', twilio('canceled'), { state: 'rejected', charged: false }],
    ['a suspended account', 'sms', twilio('failed', 30002), { state: 'rejected', charged: false }],
    ['sent', 'whatsapp', meta('sent'), { state: 'accepted' }],
    ['delivered', 'whatsapp', meta('delivered'), { state: 'delivered', charged: true }],
    ['read, without a word of delivery', 'whatsapp', meta('read'), { state: 'read', charged: true }],
    [
      'failed',
      'whatsapp',
      meta('failed', 131053),
      { state: 'failed', charged: true, error_code: 'meta_131053' },
    ],
    [
      'not on WhatsApp',
      'whatsapp',
      meta('failed', 131026),
      { state: 'rejected', reason: 'not_reachable', charged: false },
    ],
    [
      'left alone for a day',
      'whatsapp',
      meta('failed', 131049),
      { state: 'rejected', charged: false, error_code: 'platform_limited' },
    ],
    [
      'an experiment',
      'whatsapp',
      meta('failed', 130472),
      { state: 'rejected', charged: false, error_code: 'platform_limited' },
    ],
  ])('%s (%s)', async (_what, channel, report, expected) => {
    const send = await sent(postmark, channel);
    expect((await report(postmark.service.url, send)).status).toBe(200);
    expect(await now(postmark, send)).toMatchObject(expected);
  });

  test('Twilio is answered without words', async () => {
    const send = await sent(postmark, 'sms');
    expect(await twilioReport(postmark.service.url, send.reference, 'delivered')).toMatchObject({
      status: 200,
      text: '<Response/>',
      type: 'text/xml; charset=utf-8',
    });
  });

  test('a carrier’s opt-out is a stop that the person texted, and costs nothing', async () => {
    const send = await sent(postmark, 'sms');
    await twilio('failed', 21610)(postmark.service.url, send);
    expect(await now(postmark, send)).toMatchObject({
      state: 'rejected',
      charged: false,
      error_code: 'stopped',
    });
    expect(await recipientOf(postmark, send)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'text',
      whatsapp_status: 'none',
    });
    await twilioInbound(postmark.service.url, { From: send.phone, Body: 'START' });
    expect(await recipientOf(postmark, send)).toMatchObject({ sms_status: 'active' });
  });

  test('a stop to the platform is a stop on WhatsApp, and calls off what waits', async () => {
    const send = await sent(postmark, 'whatsapp');
    const waiting = await postmark.shop.pushed({
      recipient_email: send.address,
      subject: 'Later',
      channels: ['whatsapp'],
      reference: '#2',
      order_status: 'shipped',
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await meta('failed', 131050)(postmark.service.url, send);
    expect(await now(postmark, send)).toMatchObject({ state: 'rejected', charged: false });
    expect(await recipientOf(postmark, send)).toMatchObject({
      whatsapp_status: 'stopped',
      sms_status: 'active',
    });
    await sendWhen(postmark.service, waiting.id, 'whatsapp', {
      state: 'skipped',
      reason: 'stopped',
      reserved: false,
    });
  });

  test('what was told about a number says nothing about the next one', async () => {
    const send = await sent(postmark, 'sms');
    await postmark.shop.put(`/api/v1/recipients/${send.address}/phone`, { phone: '+447700968999' });
    await twilio('failed', 21610)(postmark.service.url, send);
    expect(await recipientOf(postmark, send)).toMatchObject({ sms_status: 'active', phone: '+447700968999' });
  });

  test('what the account has to put right is said once and shows', async () => {
    const { sentences, said } = await (async () => {
      const first = await sent(postmark, 'sms');
      const second = await sent(postmark, 'sms');
      for (const send of [first, second]) await twilio('failed', 30034)(postmark.service.url, send);
      const ready = await (await fetch(`${postmark.service.url}/readyz`)).json();
      const lines = postmark.service.logged.filter(({ message }) => message.includes('30034'));
      return { sentences: Object(ready).warnings, said: lines };
    })();
    expect(sentences).toContainEqual(expect.stringContaining('30034'));
    expect(said).toHaveLength(1);
  });
});

describe('reports come more than once, and in any order', () => {
  test('the same one, twenty times at once, is told once', async () => {
    const send = await sent(postmark, 'whatsapp');
    const { url } = postmark.service;
    const before = await counted(url, 'waypost_callbacks_total', { provider: 'meta', outcome: 'repeated' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => metaStatus(url, send.reference, 'delivered')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await told(postmark, send)).toEqual(['whatsapp.delivered']);
    expect(await counted(url, 'waypost_callbacks_total', { provider: 'meta', outcome: 'repeated' })).toBe(
      before + 19,
    );
  });

  test('read, then delivered, then sent: it stays read', async () => {
    const send = await sent(postmark, 'whatsapp');
    for (const status of ['read', 'delivered', 'sent'])
      await metaStatus(postmark.service.url, send.reference, status);
    expect(await now(postmark, send)).toMatchObject({ state: 'read' });
    expect(await told(postmark, send)).toEqual(['whatsapp.delivered', 'whatsapp.read']);
  });

  test('delivered, then undelivered after all: it stays delivered', async () => {
    const send = await sent(postmark, 'sms');
    await twilioReport(postmark.service.url, send.reference, 'delivered');
    await twilioReport(postmark.service.url, send.reference, 'undelivered', { ErrorCode: '30003' });
    expect(await now(postmark, send)).toMatchObject({ state: 'delivered' });
    expect(await told(postmark, send)).toEqual(['sms.delivered']);
  });

  test('a mail that bounces after it was delivered has bounced', async () => {
    const send = await sent(ses, 'email');
    await sesEvent(ses.service.url, send.reference, 'Delivery');
    await sesEvent(ses.service.url, send.reference, 'Bounce', { bounce: { bounceType: 'Permanent' } });
    await sesEvent(ses.service.url, send.reference, 'Delivery');
    expect(await now(ses, send)).toMatchObject({ state: 'failed', reason: 'bounced' });
    expect(await told(ses, send)).toEqual(['message.delivered', 'message.bounced']);
  });

  test.each<[string, () => House, Channel, (url: string, reference: string) => Promise<Posted>]>([
    [
      'Resend',
      () => resend,
      'email',
      (url, ref) => resendEvent(url, ref, 'email.complained', { id: `msg_${ref}` }),
    ],
    ['SES', () => ses, 'email', (url, ref) => sesEvent(url, ref, 'Complaint', { id: ref })],
    [
      'Postmark',
      () => postmark,
      'email',
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 7, Type: 'HardBounce' }),
    ],
    [
      'Twilio',
      () => postmark,
      'sms',
      (url, ref) => twilioReport(url, ref, 'undelivered', { ErrorCode: '30005' }),
    ],
  ])('%s: a repeated one changes nothing and tells nothing', async (_name, house, channel, report) => {
    const send = await sent(house(), channel);
    for (let n = 0; n < 3; n += 1)
      expect((await report(house().service.url, send.reference)).status).toBe(200);
    const state = await now(house(), send);
    const events = await told(house(), send);
    expect(events.length).toBe(new Set(events).size);
    expect((await report(house().service.url, send.reference)).status).toBe(200);
    expect(await now(house(), send)).toEqual(state);
  });

  test('many statuses in one delivery are all heard', async () => {
    const first = await sent(postmark, 'whatsapp');
    const second = await sent(postmark, 'whatsapp');
    const status = ({ reference }: Sent, name: string) => ({
      id: `wamid.${reference}`,
      status: name,
      timestamp: '1689380458',
      biz_opaque_callback_data: reference,
    });
    await fromMeta(postmark.service.url, {
      statuses: [status(first, 'sent'), status(first, 'delivered'), status(second, 'read')],
    });
    expect((await now(postmark, first)).state).toBe('delivered');
    expect((await now(postmark, second)).state).toBe('read');
  });
});

describe('reports about nothing that we know', () => {
  test.each<[string, () => House, string, (url: string) => Promise<Posted>]>([
    [
      'postmark',
      () => postmark,
      'unknown',
      (url) => postmarkRecord(url, `nobody-${randomUUID().slice(0, 8)}`, 'Delivery'),
    ],
    [
      'postmark',
      () => postmark,
      'unknown',
      (url) => fromPostmark(url, { RecordType: 'Delivery', MessageID: randomUUID() }),
    ],
    ['resend', () => resend, 'unknown', (url) => resendEvent(url, 'nobody-nothing', 'email.delivered')],
    ['ses', () => ses, 'unknown', (url) => sesEvent(url, "'; drop table sends; --", 'Delivery')],
    ['twilio', () => postmark, 'unknown', (url) => twilioReport(url, 'nobody-nothing', 'delivered')],
    ['meta', () => postmark, 'unknown', (url) => metaStatus(url, 'nobody-nothing', 'delivered')],
    [
      'ses',
      () => ses,
      'ignored',
      (url) => fromSns(url, { Message: 'Successfully validated SNS topic for Amazon SES event publishing.' }),
    ],
    [
      'meta',
      () => postmark,
      'ignored',
      (url) =>
        fromMeta(url, { user_preferences: [{ wa_id: '1', value: 'stop' }] }, { field: 'user_preferences' }),
    ],
    [
      'meta',
      () => postmark,
      'ignored',
      (url) => fromMeta(url, { messages: [{ id: 'x', type: 'text', text: { body: 'hi' } }] }),
    ],
    ['resend', () => resend, 'ignored', (url) => fromResend(url, [])],
    ['postmark', () => postmark, 'ignored', (url) => fromPostmark(url, { RecordType: 'Click' })],
  ])('%s: are answered 200 and counted (%#)', async (provider, house, outcome, report) => {
    const { url } = house().service;
    const before = await counted(url, 'waypost_callbacks_total', { provider, outcome });
    expect((await report(url)).status).toBe(200);
    expect(await counted(url, 'waypost_callbacks_total', { provider, outcome })).toBe(before + 1);
  });

  test('a send that was erased is one of them', async () => {
    const send = await sent(postmark, 'email');
    expectStatus(200, await postmark.shop.post(`/api/v1/recipients/${send.address}/erase`));
    expect((await postmarkRecord(postmark.service.url, send.reference, 'Delivery')).status).toBe(200);
  });
});

describe('requests that the provider did not make change nothing', () => {
  test.each<[string, () => House, Channel, number, (url: string, reference: string) => Promise<Posted>]>([
    [
      'Twilio, with another token',
      () => postmark,
      'sms',
      403,
      (url, reference) =>
        fromTwilio(url, { MessageSid: 'SM1', MessageStatus: 'delivered' }, { reference, token: 'another' }),
    ],
    [
      'Meta, with another secret',
      () => postmark,
      'whatsapp',
      403,
      (url, ref) =>
        fromMeta(
          url,
          { statuses: [{ id: 'w', status: 'delivered', biz_opaque_callback_data: ref }] },
          { secret: 'another' },
        ),
    ],
    [
      'Postmark, with another password',
      () => postmark,
      'email',
      401,
      (url, ref) =>
        fromPostmark(
          url,
          { RecordType: 'Delivery', MessageID: 'x', Metadata: { waypost_reference: ref } },
          'waypost:another',
        ),
    ],
    [
      'Resend, with another secret',
      () => resend,
      'email',
      403,
      (url, ref) =>
        fromResend(
          url,
          { type: 'email.delivered', data: { tags: { waypost_reference: ref } } },
          { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
        ),
    ],
    [
      'Resend, long ago',
      () => resend,
      'email',
      403,
      (url, ref) =>
        fromResend(
          url,
          { type: 'email.delivered', data: { tags: { waypost_reference: ref } } },
          { at: new Date('2026-01-01') },
        ),
    ],
    [
      'SNS, from a topic of somebody else’s',
      () => ses,
      'email',
      403,
      (url, ref) =>
        fromSns(url, {
          TopicArn: 'arn:aws:sns:eu-west-1:999999999999:mine',
          Message: JSON.stringify({ eventType: 'Delivery', mail: { tags: { waypost_reference: [ref] } } }),
        }),
    ],
  ])('%s', async (_what, house, channel, status, forge) => {
    const send = await sent(house(), channel);
    expect((await forge(house().service.url, send.reference)).status).toBe(status);
    expect(await now(house(), send)).toMatchObject({ state: 'accepted' });
  });

  test('the reference cannot be exchanged: Twilio signs the address', async () => {
    const mine = await sent(postmark, 'sms');
    const other = await sent(postmark, 'sms');
    const { url } = postmark.service;
    // A genuine report about one, replayed with the reference of another.
    const fields = { MessageSid: 'SM9', MessageStatus: 'undelivered', ErrorCode: '30003' };
    const address = `${url}/callbacks/twilio?ref=${mine.reference}`;
    const text = Object.entries(fields).sort().flat().join('');
    const signature = createHmac('sha1', SECRETS.twilio)
      .update(address + text)
      .digest('base64');
    const replay = (target: string) =>
      fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
        body: new URLSearchParams(fields),
      });
    expect((await replay(`${url}/callbacks/twilio?ref=${other.reference}`)).status).toBe(403);
    expect((await replay(address)).status).toBe(200);
    expect((await now(postmark, other)).state).toBe('accepted');
  });

  test('they are counted, and mentioned in the log once a minute at most', async () => {
    const { url } = postmark.service;
    const before = await counted(url, 'waypost_callbacks_total', { provider: 'meta', outcome: 'refused' });
    for (let n = 0; n < 5; n += 1) await fromMeta(url, {}, { secret: 'another' });
    expect(await counted(url, 'waypost_callbacks_total', { provider: 'meta', outcome: 'refused' })).toBe(
      before + 5,
    );
    const lines = postmark.service.logged.filter(
      ({ fields, message }) => fields.provider === 'meta' && message.includes('refused'),
    );
    expect(lines.length).toBeLessThanOrEqual(1);
  });

  test('an address of a provider that is not chosen is not there', async () => {
    expect((await fetch(`${resend.service.url}/callbacks/twilio`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${postmark.service.url}/callbacks/resend`, { method: 'POST' })).status).toBe(404);
  });
});

test('Meta’s question whether the address is ours is answered to the letter', async () => {
  const ask = (token: string) =>
    fetch(
      `${postmark.service.url}/callbacks/meta?${new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.verify_token': token,
        'hub.challenge': '1158201444',
      })}`,
    );
  const answer = await ask(SECRETS.metaVerify);
  expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
  expect((await ask('another')).status).toBe(403);
});

describe('a subscription of SNS', () => {
  const confirmation = {
    Type: 'SubscriptionConfirmation',
    Token: '2336412f',
    Message: 'You have chosen to subscribe.',
    SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f',
  };

  test('to our topic is confirmed where SNS says', async () => {
    expect((await fromSns(ses.service.url, confirmation)).status).toBe(200);
    expect(sns.confirmed).toEqual([confirmation.SubscribeURL]);
  });

  test.each<[string, Record<string, string>]>([
    ['to somebody else’s topic', { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:mine' }],
    ['that leads elsewhere', { SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription' }],
  ])('%s is not', async (_what, change) => {
    const before = [...sns.confirmed];
    expect((await fromSns(ses.service.url, { ...confirmation, ...change })).status).toBe(403);
    expect(sns.confirmed).toEqual(before);
  });
});

describe('what people write', () => {
  test('STOP as a text, once however often Twilio repeats it', async () => {
    const send = await sent(postmark, 'sms');
    const stop = { From: send.phone, MessageSid: `SM${randomUUID()}` };
    await twilioInbound(postmark.service.url, stop);
    expect(await recipientOf(postmark, send)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'text',
    });
    await twilioInbound(postmark.service.url, { From: send.phone, Body: 'START' });
    await twilioInbound(postmark.service.url, stop);
    expect(await recipientOf(postmark, send)).toMatchObject({ sms_status: 'active' });
  });

  test('what Twilio made of it counts more than the words', async () => {
    const send = await sent(postmark, 'sms');
    await twilioInbound(postmark.service.url, { From: send.phone, Body: 'Lõpeta', OptOutType: 'STOP' });
    expect(await recipientOf(postmark, send)).toMatchObject({ sms_status: 'stopped' });
  });

  test('a WhatsApp reply is kept and told once, acknowledged in free text, and a button counts as words', async () => {
    const send = await sent(postmark, 'whatsapp');
    const { url } = postmark.service;
    const id = `wamid.${randomUUID()}`;
    await metaInbound(url, send.phone, 'Where is it?', { id });
    await metaInbound(url, send.phone, 'Where is it?', { id });
    await fromMeta(url, {
      metadata: { phone_number_id: '106540352242922' },
      messages: [
        {
          from: send.phone.slice(1),
          id: `wamid.${randomUUID()}`,
          type: 'button',
          button: { payload: 'P', text: 'Stop' },
        },
      ],
    });
    const { rows } = await postmark.service.pool.query(
      'select body from whatsapp_replies where recipient_id = $1 order by id',
      [send.recipient_id],
    );
    expect(rows).toEqual([{ body: 'Where is it?' }, { body: 'Stop' }]);
    expect(await recipientOf(postmark, send)).toMatchObject({ whatsapp_status: 'stopped' });
  });
});

test('news of a template’s review decides whether it is sent', async () => {
  const { url, pool } = postmark.service;
  const news = (event: string) =>
    fromMeta(
      url,
      {
        event,
        message_template_id: 1_689_556_908_129_832,
        message_template_name: 'waypost_order_delayed_v1',
        message_template_language: 'en',
      },
      { field: 'message_template_status_update' },
    );
  const state = async () =>
    (await pool.query("select state from whatsapp_templates where order_status = 'delayed'")).rows[0]?.state;
  for (const [event, expected] of [
    ['PAUSED', 'in_review'],
    ['REINSTATED', 'approved'],
    ['DISABLED', 'in_review'],
    ['FLAGGED', 'in_review'],
    ['APPROVED', 'approved'],
  ] as const) {
    expect((await news(event)).status).toBe(200);
    expect([event, await state()]).toEqual([event, expected]);
  }
});
