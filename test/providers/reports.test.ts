import { describe, expect, test } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import type { Send } from '../../src/outbox/send.ts';
import type { Shop } from '../support/shop.ts';
import {
  type AcceptedSend,
  acceptedSend,
  type CallbackService,
  currentSend,
  eventTypesOf,
  recipientOf,
  suppressionReasons,
  useCallbackServices,
} from './callbackServices.ts';
import { brevoEvent, postAsBrevo } from './callers/brevo.ts';
import { mailgunEvent } from './callers/mailgun.ts';
import { postAsSendgrid, sendgridEvent, sendgridFields } from './callers/sendgrid.ts';
import { vonageStatus } from './callers/vonage.ts';
import {
  type CallbackResponse,
  metaStatus,
  postAsMeta,
  postmarkRecord,
  resendEvent,
  sesEvent,
  twilioInbound,
  twilioReport,
} from './callers.ts';
import { metricValue, PUSH_ON_CHANNEL, sendWhen } from './providerService.ts';

const houses = useCallbackServices();

describe('reports of email', () => {
  const hard = { bounceType: 'Permanent', bounceSubType: 'General' };
  const soft = { bounceType: 'Transient', bounceSubType: 'MailboxFull' };
  test.each<
    [
      string,
      () => CallbackService,
      (url: string, reference: string) => Promise<CallbackResponse>,
      Partial<Send>,
      string[],
    ]
  >([
    [
      'Postmark: delivered',
      () => houses.postmark,
      (url, ref) => postmarkRecord(url, ref, 'Delivery'),
      { state: 'delivered' },
      [],
    ],
    [
      'Postmark: a hard bounce',
      () => houses.postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 42, Type: 'HardBounce' }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Postmark: a soft bounce',
      () => houses.postmark,
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 43, Type: 'SoftBounce' }),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'Postmark: a complaint',
      () => houses.postmark,
      (url, ref) => postmarkRecord(url, ref, 'SpamComplaint', { ID: 47, Type: 'SpamComplaint' }),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'Resend: delivered',
      () => houses.resend,
      (url, ref) => resendEvent(url, ref, 'email.delivered'),
      { state: 'delivered' },
      [],
    ],
    [
      'Resend: a permanent bounce',
      () => houses.resend,
      (url, ref) =>
        resendEvent(url, ref, 'email.bounced', { bounce: { type: 'Permanent', subType: 'General' } }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Resend: a passing bounce',
      () => houses.resend,
      (url, ref) => resendEvent(url, ref, 'email.bounced', { bounce: { type: 'Transient' } }),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'Resend: a complaint',
      () => houses.resend,
      (url, ref) => resendEvent(url, ref, 'email.complained'),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'Resend: failed',
      () => houses.resend,
      (url, ref) => resendEvent(url, ref, 'email.failed', { failed: { reason: 'reached_daily_quota' } }),
      { state: 'failed', reason: 'esp_refused' },
      [],
    ],
    [
      'Brevo: delivered',
      () => houses.brevo,
      (url, ref) => postAsBrevo(url, brevoEvent(ref, 'delivered')),
      { state: 'delivered' },
      [],
    ],
    [
      'Brevo: delivered, in a list',
      () => houses.brevo,
      (url, ref) => postAsBrevo(url, [brevoEvent(ref, 'request'), brevoEvent(ref, 'delivered')]),
      { state: 'delivered' },
      [],
    ],
    [
      'Brevo: a hard bounce',
      () => houses.brevo,
      (url, ref) => postAsBrevo(url, brevoEvent(ref, 'hard_bounce', { reason: '550 5.1.1' })),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'Brevo: a soft bounce',
      () => houses.brevo,
      (url, ref) => postAsBrevo(url, brevoEvent(ref, 'soft_bounce', { reason: '452 4.2.2' })),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'Brevo: a complaint',
      () => houses.brevo,
      (url, ref) => postAsBrevo(url, brevoEvent(ref, 'spam')),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'Brevo: an error',
      () => houses.brevo,
      (url, ref) => postAsBrevo(url, brevoEvent(ref, 'error', { reason: 'No.' })),
      { state: 'rejected', reason: 'esp_refused' },
      [],
    ],
    [
      'Mailgun: delivered',
      () => houses.mailgun,
      (url, ref) => mailgunEvent(url, ref, 'delivered'),
      { state: 'delivered' },
      [],
    ],
    [
      'Mailgun: a permanent failure',
      () => houses.mailgun,
      (url, ref) =>
        mailgunEvent(url, ref, 'failed', {
          severity: 'permanent',
          'delivery-status': { code: 550, 'enhanced-code': '5.1.1' },
        }),
      { state: 'failed', reason: 'bounced', error_code: 'mailgun_550' },
      ['bounce'],
    ],
    [
      'Mailgun: a temporary failure',
      () => houses.mailgun,
      (url, ref) =>
        mailgunEvent(url, ref, 'failed', { severity: 'temporary', 'delivery-status': { code: 450 } }),
      { state: 'accepted' },
      [],
    ],
    [
      'Mailgun: a complaint',
      () => houses.mailgun,
      (url, ref) => mailgunEvent(url, ref, 'complained'),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'Mailgun: rejected',
      () => houses.mailgun,
      (url, ref) => mailgunEvent(url, ref, 'rejected', { reject: { reason: 'virus' } }),
      { state: 'failed', reason: 'esp_refused' },
      [],
    ],
    [
      'SendGrid: delivered',
      () => houses.sendgrid,
      (url, ref) => sendgridEvent(url, ref, 'delivered'),
      { state: 'delivered' },
      [],
    ],
    [
      'SendGrid: a bounce of a bad address',
      () => houses.sendgrid,
      (url, ref) => sendgridEvent(url, ref, 'bounce', { type: 'bounce', status: '5.1.1' }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'SendGrid: blocked',
      () => houses.sendgrid,
      (url, ref) => sendgridEvent(url, ref, 'bounce', { type: 'blocked', status: '5.7.1' }),
      { state: 'failed', reason: 'bounced', error_code: 'sendgrid_blocked' },
      [],
    ],
    [
      'SendGrid: dropped, as the address bounced before',
      () => houses.sendgrid,
      (url, ref) => sendgridEvent(url, ref, 'dropped', { reason: 'Bounced Address' }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'SendGrid: dropped for what it holds',
      () => houses.sendgrid,
      (url, ref) => sendgridEvent(url, ref, 'dropped', { reason: 'Spam Content' }),
      { state: 'failed', reason: 'esp_refused' },
      [],
    ],
    [
      'SendGrid: a complaint',
      () => houses.sendgrid,
      (url, ref) => sendgridEvent(url, ref, 'spamreport'),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'SES: delivered',
      () => houses.ses,
      (url, ref) => sesEvent(url, ref, 'Delivery'),
      { state: 'delivered' },
      [],
    ],
    [
      'SES: a permanent bounce',
      () => houses.ses,
      (url, ref) => sesEvent(url, ref, 'Bounce', { bounce: hard }),
      { state: 'failed', reason: 'bounced' },
      ['bounce'],
    ],
    [
      'SES: a transient bounce',
      () => houses.ses,
      (url, ref) => sesEvent(url, ref, 'Bounce', { bounce: soft }),
      { state: 'failed', reason: 'bounced' },
      [],
    ],
    [
      'SES: a complaint',
      () => houses.ses,
      (url, ref) => sesEvent(url, ref, 'Complaint', { complaint: { complaintFeedbackType: 'abuse' } }),
      { state: 'delivered' },
      ['complaint'],
    ],
    [
      'SES: rejected',
      () => houses.ses,
      (url, ref) => sesEvent(url, ref, 'Reject', { reject: { reason: 'Bad content' } }),
      { state: 'rejected', reason: 'esp_refused' },
      [],
    ],
  ])('%s', async (_what, house, report, expected, reasons) => {
    const send = await acceptedSend(house(), 'email');
    expect((await report(house().service.url, send.reference)).status).toBe(200);
    expect(await currentSend(house(), send)).toMatchObject(expected);
    expect(await suppressionReasons(house(), send)).toEqual(reasons);
  });
});

describe('reports of texts and WhatsApp', () => {
  type Case = [
    string,
    Channel,
    (url: string, send: AcceptedSend) => Promise<CallbackResponse>,
    Partial<Send>,
  ];
  const twilio = (status: string, code?: number) => (url: string, send: AcceptedSend) =>
    twilioReport(url, send.reference, status, { To: send.phone, ...(code && { ErrorCode: String(code) }) });
  const meta = (status: string, code?: number) => (url: string, send: AcceptedSend) =>
    metaStatus(url, send.reference, status, code);

  test.each<Case>([
    ['delivered', 'sms', twilio('delivered'), { state: 'delivered', charged: true }],
    [
      'a handset that cannot be reached',
      'sms',
      twilio('undelivered', 30003),
      { state: 'failed', charged: true, error_code: 'handset_unreachable' },
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
  ])('%s (%s)', async (_what, channel, report, expected) => {
    const send = await acceptedSend(houses.postmark, channel);
    expect((await report(houses.postmark.service.url, send)).status).toBe(200);
    expect(await currentSend(houses.postmark, send)).toMatchObject(expected);
  });

  test.each<[string, Parameters<typeof vonageStatus>[2], number | undefined, Partial<Send>]>([
    ['delivered', 'delivered', undefined, { state: 'delivered', charged: true }],
    ['submitted', 'submitted', undefined, { state: 'accepted' }],
    [
      'a handset that cannot be reached',
      'undeliverable',
      1180,
      { state: 'failed', charged: true, error_code: 'handset_unreachable' },
    ],
    [
      'never left Vonage',
      'rejected',
      1000,
      { state: 'rejected', charged: false, error_code: 'platform_limited' },
    ],
  ])('Vonage: %s', async (_what, status, code, expected) => {
    const send = await acceptedSend(houses.brevo, 'sms');
    const report = { ...(code !== undefined && { code }), to: send.phone };
    expect((await vonageStatus(houses.brevo.service.url, send.reference, status, report)).status).toBe(200);
    expect(await currentSend(houses.brevo, send)).toMatchObject(expected);
  });

  test('Vonage: a STOP that it kept itself is a stop here, too', async () => {
    const send = await acceptedSend(houses.brevo, 'sms');
    const report = { code: 1240, to: send.phone };
    await vonageStatus(houses.brevo.service.url, send.reference, 'rejected', report);
    expect(await recipientOf(houses.brevo, send)).toMatchObject({ sms_status: 'stopped' });
  });

  test('Twilio is answered without words', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    expect(await twilioReport(houses.postmark.service.url, send.reference, 'delivered')).toMatchObject({
      status: 200,
      text: '<Response/>',
      type: 'text/xml; charset=utf-8',
    });
  });

  test('a carrier’s opt-out is a stop that the person texted, and costs nothing', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    await twilio('failed', 21610)(houses.postmark.service.url, send);
    expect(await currentSend(houses.postmark, send)).toMatchObject({
      state: 'rejected',
      charged: false,
      error_code: 'stopped',
    });
    expect(await recipientOf(houses.postmark, send)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'text',
      whatsapp_status: 'none',
    });
    await twilioInbound(houses.postmark.service.url, { From: send.phone, Body: 'START' });
    expect(await recipientOf(houses.postmark, send)).toMatchObject({ sms_status: 'active' });
  });

  test('a stop to the platform is a stop on WhatsApp, and cancels what waits', async () => {
    const send = await acceptedSend(houses.postmark, 'whatsapp');
    const waiting = await houses.postmark.shop.pushed({
      recipient_email: send.address,
      subject: 'Later',
      channels: ['whatsapp'],
      reference: '#2',
      order_status: 'shipped',
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await meta('failed', 131050)(houses.postmark.service.url, send);
    expect(await currentSend(houses.postmark, send)).toMatchObject({ state: 'rejected', charged: false });
    expect(await recipientOf(houses.postmark, send)).toMatchObject({
      whatsapp_status: 'stopped',
      sms_status: 'active',
    });
    await sendWhen(houses.postmark.service, waiting.id, 'whatsapp', {
      state: 'skipped',
      reason: 'stopped',
      reserved: false,
    });
  });

  test('a report about one number does not affect the person’s next number', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    await houses.postmark.shop.put(`/api/v1/recipients/${send.address}/phone`, { phone: '+447700968999' });
    await twilio('failed', 21610)(houses.postmark.service.url, send);
    expect(await recipientOf(houses.postmark, send)).toMatchObject({
      sms_status: 'active',
      phone: '+447700968999',
    });
  });

  test.each<[string, (shop: Shop, address: string) => Promise<unknown>]>([
    ['cleared', (shop, address) => shop.delete(`/api/v1/recipients/${address}/phone`)],
    ['erased', (shop, address) => shop.post(`/api/v1/recipients/${address}/erase`)],
  ])('a carrier’s opt-out from a number that was %s meanwhile waits for its return', async (_how, letGo) => {
    const { shop, service } = houses.postmark;
    const send = await acceptedSend(houses.postmark, 'sms');
    await letGo(shop, send.address);
    expect((await twilio('failed', 21610)(service.url, send)).status).toBe(200);
    const again = {
      ...PUSH_ON_CHANNEL.sms,
      recipient_email: `again-${send.address}`,
      recipient_phone: send.phone,
    };
    expect((await shop.pushed(again)).sms).toMatchObject({ queued: false, skipped_reason: 'stopped' });
  });

  test('a carrier’s opt-out about a business that is not here is answered, and changes nothing', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    const elsewhere = { ...send, reference: `elsewhere-${send.reference.split('-')[1]}` };
    expect((await twilio('failed', 21610)(houses.postmark.service.url, elsewhere)).status).toBe(200);
    expect(await recipientOf(houses.postmark, send)).toMatchObject({ sms_status: 'active' });
  });

  test('what the account has to put right is said once and shows', async () => {
    const { sentences, said } = await (async () => {
      const first = await acceptedSend(houses.postmark, 'sms');
      const second = await acceptedSend(houses.postmark, 'sms');
      for (const send of [first, second]) await twilio('failed', 30034)(houses.postmark.service.url, send);
      const ready = await (await fetch(`${houses.postmark.service.url}/readyz`)).json();
      const lines = houses.postmark.service.logged.filter(({ message }) => message.includes('30034'));
      return { sentences: Object(ready).warnings, said: lines };
    })();
    expect(sentences).toContainEqual(expect.stringContaining('30034'));
    expect(said).toHaveLength(1);
  });
});

describe('reports come more than once, and in any order', () => {
  test('the same report, twenty times at once, emits one event', async () => {
    const send = await acceptedSend(houses.postmark, 'whatsapp');
    const { url } = houses.postmark.service;
    const before = await metricValue(url, 'waypost_callbacks_total', {
      provider: 'meta',
      outcome: 'repeated',
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => metaStatus(url, send.reference, 'delivered')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await eventTypesOf(houses.postmark, send)).toEqual(['whatsapp.delivered']);
    expect(await metricValue(url, 'waypost_callbacks_total', { provider: 'meta', outcome: 'repeated' })).toBe(
      before + 19,
    );
  });

  test('an event of Brevo that is repeated, alone or in a list, counts once', async () => {
    const send = await acceptedSend(houses.brevo, 'email');
    const { url } = houses.brevo.service;
    const repeated = () =>
      metricValue(url, 'waypost_callbacks_total', { provider: 'brevo', outcome: 'repeated' });
    const before = await repeated();
    const event = brevoEvent(send.reference, 'delivered');
    await postAsBrevo(url, event);
    await postAsBrevo(url, [event, event]);
    expect(await eventTypesOf(houses.brevo, send)).toEqual(['message.delivered']);
    expect(await repeated()).toBe(before + 2);
  });

  test('a signature of Vonage counts once', async () => {
    const send = await acceptedSend(houses.brevo, 'sms');
    const { url } = houses.brevo.service;
    const repeated = () =>
      metricValue(url, 'waypost_callbacks_total', { provider: 'vonage', outcome: 'repeated' });
    const before = await repeated();
    for (let n = 0; n < 3; n += 1)
      await vonageStatus(url, send.reference, 'delivered', { jti: `once-${send.id}` });
    expect(await eventTypesOf(houses.brevo, send)).toEqual(['sms.delivered']);
    expect(await repeated()).toBe(before + 2);
  });

  test('read, then delivered, then sent: it stays read', async () => {
    const send = await acceptedSend(houses.postmark, 'whatsapp');
    for (const status of ['read', 'delivered', 'sent'])
      await metaStatus(houses.postmark.service.url, send.reference, status);
    expect(await currentSend(houses.postmark, send)).toMatchObject({ state: 'read' });
    expect(await eventTypesOf(houses.postmark, send)).toEqual(['whatsapp.delivered', 'whatsapp.read']);
  });

  test('delivered, then undelivered after all: it stays delivered', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    await twilioReport(houses.postmark.service.url, send.reference, 'delivered');
    await twilioReport(houses.postmark.service.url, send.reference, 'undelivered', { ErrorCode: '30003' });
    expect(await currentSend(houses.postmark, send)).toMatchObject({ state: 'delivered' });
    expect(await eventTypesOf(houses.postmark, send)).toEqual(['sms.delivered']);
  });

  test('a mail that bounces after it was delivered has bounced', async () => {
    const send = await acceptedSend(houses.ses, 'email');
    await sesEvent(houses.ses.service.url, send.reference, 'Delivery');
    await sesEvent(houses.ses.service.url, send.reference, 'Bounce', { bounce: { bounceType: 'Permanent' } });
    await sesEvent(houses.ses.service.url, send.reference, 'Delivery');
    expect(await currentSend(houses.ses, send)).toMatchObject({ state: 'failed', reason: 'bounced' });
    expect(await eventTypesOf(houses.ses, send)).toEqual(['message.delivered', 'message.bounced']);
  });

  test.each<
    [string, () => CallbackService, Channel, (url: string, reference: string) => Promise<CallbackResponse>]
  >([
    [
      'Resend',
      () => houses.resend,
      'email',
      (url, ref) => resendEvent(url, ref, 'email.complained', { id: `msg_${ref}` }),
    ],
    ['SES', () => houses.ses, 'email', (url, ref) => sesEvent(url, ref, 'Complaint', { id: ref })],
    [
      'Mailgun',
      () => houses.mailgun,
      'email',
      (url, ref) => mailgunEvent(url, ref, 'complained', { token: ref }),
    ],
    [
      'SendGrid',
      () => houses.sendgrid,
      'email',
      (url, ref) => sendgridEvent(url, ref, 'spamreport', { sg_event_id: ref }),
    ],
    [
      'Postmark',
      () => houses.postmark,
      'email',
      (url, ref) => postmarkRecord(url, ref, 'Bounce', { ID: 7, Type: 'HardBounce' }),
    ],
    [
      'Twilio',
      () => houses.postmark,
      'sms',
      (url, ref) => twilioReport(url, ref, 'undelivered', { ErrorCode: '30005' }),
    ],
  ])('%s: a repeated report changes nothing and emits no event', async (_name, house, channel, report) => {
    const send = await acceptedSend(house(), channel);
    for (let n = 0; n < 3; n += 1)
      expect((await report(house().service.url, send.reference)).status).toBe(200);
    const state = await currentSend(house(), send);
    const events = await eventTypesOf(house(), send);
    expect(events.length).toBe(new Set(events).size);
    expect((await report(house().service.url, send.reference)).status).toBe(200);
    expect(await currentSend(house(), send)).toEqual(state);
  });

  test('all events of one list are applied, each once', async () => {
    const first = await acceptedSend(houses.sendgrid, 'email');
    const second = await acceptedSend(houses.sendgrid, 'email');
    const events = [
      sendgridFields(first.reference, 'processed'),
      sendgridFields(first.reference, 'delivered'),
      sendgridFields(second.reference, 'bounce', { type: 'blocked' }),
    ];
    const { url } = houses.sendgrid.service;
    const repeated = () =>
      metricValue(url, 'waypost_callbacks_total', { provider: 'sendgrid', outcome: 'repeated' });
    const before = await repeated();
    for (let n = 0; n < 2; n += 1) expect((await postAsSendgrid(url, events)).status).toBe(200);
    expect((await currentSend(houses.sendgrid, first)).state).toBe('delivered');
    expect((await currentSend(houses.sendgrid, second)).state).toBe('failed');
    expect(await repeated()).toBe(before + 2);
  });

  test('all statuses in one callback are applied', async () => {
    const first = await acceptedSend(houses.postmark, 'whatsapp');
    const second = await acceptedSend(houses.postmark, 'whatsapp');
    const status = ({ reference }: AcceptedSend, name: string) => ({
      id: `wamid.${reference}`,
      status: name,
      timestamp: '1689380458',
      biz_opaque_callback_data: reference,
    });
    await postAsMeta(houses.postmark.service.url, {
      statuses: [status(first, 'sent'), status(first, 'delivered'), status(second, 'read')],
    });
    expect((await currentSend(houses.postmark, first)).state).toBe('delivered');
    expect((await currentSend(houses.postmark, second)).state).toBe('read');
  });
});
