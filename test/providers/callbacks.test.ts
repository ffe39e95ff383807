import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import { brevoEnv, PROVIDER_SECRETS, twilioSmsEnv } from '../support/providerEnvironments.ts';
import { snsKey } from '../support/providerKeys.ts';
import { expectStatus } from '../support/shop.ts';
import {
  acceptedSend,
  type CallbackService,
  currentSend,
  recipientOf,
  useCallbackServices,
} from './callbackServices.ts';
import { brevoEvent, postAsBrevo } from './callers/brevo.ts';
import { mailgunEvent, postAsMailgun } from './callers/mailgun.ts';
import { postAsSendgrid, sendgridEvent, sendgridFields } from './callers/sendgrid.ts';
import { postAsVonage, vonageInbound, vonageStatus } from './callers/vonage.ts';
import {
  type CallbackResponse,
  metaInbound,
  metaStatus,
  postAsMeta,
  postAsPostmark,
  postAsResend,
  postAsSns,
  postAsTwilio,
  postmarkRecord,
  resendEvent,
  sesEvent,
  twilioInbound,
  twilioReport,
} from './callers.ts';
import { mockApi } from './mockApi.ts';
import { metricValue, PUSH_ON_CHANNEL, sendWhen, startProviderService } from './providerService.ts';

const houses = useCallbackServices();

describe('reports about nothing that we know', () => {
  test.each<[string, () => CallbackService, string, (url: string) => Promise<CallbackResponse>]>([
    [
      'postmark',
      () => houses.postmark,
      'unknown',
      (url) => postmarkRecord(url, `nobody-${randomUUID().slice(0, 8)}`, 'Delivery'),
    ],
    [
      'postmark',
      () => houses.postmark,
      'unknown',
      (url) => postAsPostmark(url, { RecordType: 'Delivery', MessageID: randomUUID() }),
    ],
    [
      'resend',
      () => houses.resend,
      'unknown',
      (url) => resendEvent(url, 'nobody-nothing', 'email.delivered'),
    ],
    ['ses', () => houses.ses, 'unknown', (url) => sesEvent(url, "'; drop table sends; --", 'Delivery')],
    ['twilio', () => houses.postmark, 'unknown', (url) => twilioReport(url, 'nobody-nothing', 'delivered')],
    ['meta', () => houses.postmark, 'unknown', (url) => metaStatus(url, 'nobody-nothing', 'delivered')],
    [
      'ses',
      () => houses.ses,
      'ignored',
      (url) =>
        postAsSns(url, { Message: 'Successfully validated SNS topic for Amazon SES event publishing.' }),
    ],
    [
      'meta',
      () => houses.postmark,
      'ignored',
      (url) =>
        postAsMeta(url, { user_preferences: [{ wa_id: '1', value: 'stop' }] }, { field: 'user_preferences' }),
    ],
    [
      'meta',
      () => houses.postmark,
      'ignored',
      (url) => postAsMeta(url, { messages: [{ id: 'x', type: 'text', text: { body: 'hi' } }] }),
    ],
    ['mailgun', () => houses.mailgun, 'unknown', (url) => mailgunEvent(url, 'nobody-nothing', 'delivered')],
    ['mailgun', () => houses.mailgun, 'ignored', (url) => mailgunEvent(url, 'nobody-nothing', 'opened')],
    [
      'sendgrid',
      () => houses.sendgrid,
      'unknown',
      (url) => sendgridEvent(url, 'nobody-nothing', 'delivered'),
    ],
    ['sendgrid', () => houses.sendgrid, 'ignored', (url) => postAsSendgrid(url, {})],
    ['resend', () => houses.resend, 'ignored', (url) => postAsResend(url, [])],
    [
      'brevo',
      () => houses.brevo,
      'unknown',
      (url) => postAsBrevo(url, brevoEvent('nobody-nothing', 'delivered')),
    ],
    [
      'brevo',
      () => houses.brevo,
      'ignored',
      (url) => postAsBrevo(url, brevoEvent('nobody-nothing', 'click')),
    ],
    ['vonage', () => houses.brevo, 'unknown', (url) => vonageStatus(url, 'nobody-nothing', 'delivered')],
    [
      'vonage',
      () => houses.brevo,
      'ignored',
      (url) => postAsVonage(url, { channel: 'whatsapp', text: 'STOP' }),
    ],
    ['postmark', () => houses.postmark, 'ignored', (url) => postAsPostmark(url, { RecordType: 'Click' })],
  ])('%s: are answered 200 and counted (%#)', async (provider, house, outcome, report) => {
    const { url } = house().service;
    const before = await metricValue(url, 'waypost_callbacks_total', { provider, outcome });
    expect((await report(url)).status).toBe(200);
    expect(await metricValue(url, 'waypost_callbacks_total', { provider, outcome })).toBe(before + 1);
  });

  test('a send that was erased is one of them', async () => {
    const send = await acceptedSend(houses.postmark, 'email');
    expectStatus(200, await houses.postmark.shop.post(`/api/v1/recipients/${send.address}/erase`));
    expect((await postmarkRecord(houses.postmark.service.url, send.reference, 'Delivery')).status).toBe(200);
  });
});

describe('requests that the provider did not make change nothing', () => {
  test.each<
    [
      string,
      () => CallbackService,
      Channel,
      number,
      (url: string, reference: string) => Promise<CallbackResponse>,
    ]
  >([
    [
      'Twilio, with another token',
      () => houses.postmark,
      'sms',
      403,
      (url, reference) =>
        postAsTwilio(url, { MessageSid: 'SM1', MessageStatus: 'delivered' }, { reference, token: 'another' }),
    ],
    [
      'Meta, with another secret',
      () => houses.postmark,
      'whatsapp',
      403,
      (url, ref) =>
        postAsMeta(
          url,
          { statuses: [{ id: 'w', status: 'delivered', biz_opaque_callback_data: ref }] },
          { secret: 'another' },
        ),
    ],
    [
      'Postmark, with another password',
      () => houses.postmark,
      'email',
      401,
      (url, ref) =>
        postAsPostmark(
          url,
          { RecordType: 'Delivery', MessageID: 'x', Metadata: { waypost_reference: ref } },
          'waypost:another',
        ),
    ],
    [
      'Resend, with another secret',
      () => houses.resend,
      'email',
      403,
      (url, ref) =>
        postAsResend(
          url,
          { type: 'email.delivered', data: { tags: { waypost_reference: ref } } },
          { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
        ),
    ],
    [
      'Resend, long ago',
      () => houses.resend,
      'email',
      403,
      (url, ref) =>
        postAsResend(
          url,
          { type: 'email.delivered', data: { tags: { waypost_reference: ref } } },
          { at: new Date('2026-01-01') },
        ),
    ],
    [
      'Brevo, with another token',
      () => houses.brevo,
      'email',
      401,
      (url, ref) => postAsBrevo(url, brevoEvent(ref, 'hard_bounce'), 'a-token-for-webhookz'),
    ],
    [
      'Vonage, with another secret',
      () => houses.brevo,
      'sms',
      401,
      (url, ref) =>
        postAsVonage(url, { message_uuid: 'v', status: 'rejected', client_ref: ref }, { secret: 'another' }),
    ],
    [
      'Vonage, unsigned',
      () => houses.brevo,
      'sms',
      401,
      (url, ref) =>
        postAsVonage(
          url,
          { message_uuid: 'v', status: 'rejected', client_ref: ref },
          { header: { alg: 'none' } },
        ),
    ],
    [
      'Vonage, with the signature of another body',
      () => houses.brevo,
      'sms',
      401,
      (url, ref) =>
        postAsVonage(
          url,
          { message_uuid: 'v', status: 'rejected', client_ref: ref },
          { signed: '{"status":"submitted"}' },
        ),
    ],
    [
      'Vonage, days ago',
      () => houses.brevo,
      'sms',
      401,
      (url, ref) =>
        postAsVonage(
          url,
          { message_uuid: 'v', status: 'rejected', client_ref: ref },
          { at: new Date(Date.now() - 25 * 3_600_000) },
        ),
    ],
    [
      'Mailgun, with another key',
      () => houses.mailgun,
      'email',
      401,
      (url, ref) =>
        postAsMailgun(
          url,
          { event: 'delivered', 'user-variables': { waypost_reference: ref } },
          { key: 'another' },
        ),
    ],
    [
      'Mailgun, long ago',
      () => houses.mailgun,
      'email',
      401,
      (url, ref) =>
        postAsMailgun(
          url,
          { event: 'delivered', 'user-variables': { waypost_reference: ref } },
          { at: new Date('2026-01-01') },
        ),
    ],
    [
      'SendGrid, with another key',
      () => houses.sendgrid,
      'email',
      403,
      (url, ref) => postAsSendgrid(url, [sendgridFields(ref, 'delivered')], { key: snsKey }),
    ],
    [
      'SendGrid, long ago',
      () => houses.sendgrid,
      'email',
      403,
      (url, ref) => postAsSendgrid(url, [sendgridFields(ref, 'delivered')], { at: new Date('2026-01-01') }),
    ],
    [
      'SNS, from a topic of somebody else’s',
      () => houses.ses,
      'email',
      403,
      (url, ref) =>
        postAsSns(url, {
          TopicArn: 'arn:aws:sns:eu-west-1:999999999999:mine',
          Message: JSON.stringify({ eventType: 'Delivery', mail: { tags: { waypost_reference: [ref] } } }),
        }),
    ],
  ])('%s', async (_what, house, channel, status, forge) => {
    const send = await acceptedSend(house(), channel);
    expect((await forge(house().service.url, send.reference)).status).toBe(status);
    expect(await currentSend(house(), send)).toMatchObject({ state: 'accepted' });
  });

  test('the reference cannot be exchanged: Twilio signs the address', async () => {
    const mine = await acceptedSend(houses.postmark, 'sms');
    const other = await acceptedSend(houses.postmark, 'sms');
    const { url } = houses.postmark.service;
    // A genuine report about one, replayed with the reference of another.
    const fields = { MessageSid: 'SM9', MessageStatus: 'undelivered', ErrorCode: '30003' };
    const address = `${url}/callbacks/twilio?ref=${mine.reference}`;
    const text = Object.entries(fields).sort().flat().join('');
    const signature = createHmac('sha1', PROVIDER_SECRETS.twilio)
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
    expect((await currentSend(houses.postmark, other)).state).toBe('accepted');
  });

  test('they are counted, and mentioned in the log once a minute at most', async () => {
    const { url } = houses.postmark.service;
    const before = await metricValue(url, 'waypost_callbacks_total', {
      provider: 'meta',
      outcome: 'refused',
    });
    for (let n = 0; n < 5; n += 1) await postAsMeta(url, {}, { secret: 'another' });
    expect(await metricValue(url, 'waypost_callbacks_total', { provider: 'meta', outcome: 'refused' })).toBe(
      before + 5,
    );
    const lines = houses.postmark.service.logged.filter(
      ({ fields, message }) => fields.provider === 'meta' && message.includes('refused'),
    );
    expect(lines.length).toBeLessThanOrEqual(1);
  });

  test('an address of a provider that is not chosen is not there', async () => {
    expect((await fetch(`${houses.resend.service.url}/callbacks/twilio`, { method: 'POST' })).status).toBe(
      404,
    );
    expect((await fetch(`${houses.postmark.service.url}/callbacks/resend`, { method: 'POST' })).status).toBe(
      404,
    );
  });
});

test('a token of Mailgun’s, which its signature covers and the event not, counts once', async () => {
  const first = await acceptedSend(houses.mailgun, 'email');
  const other = await acceptedSend(houses.mailgun, 'email');
  const { url } = houses.mailgun.service;
  const token = 'a'.repeat(50);
  expect((await mailgunEvent(url, first.reference, 'delivered', { token })).status).toBe(200);
  const forged = { token, severity: 'permanent', 'delivery-status': { code: 550, 'enhanced-code': '5.1.1' } };
  for (const { reference } of [first, other])
    expect((await mailgunEvent(url, reference, 'failed', forged)).status).toBe(200);
  expect(await currentSend(houses.mailgun, first)).toMatchObject({ state: 'delivered' });
  expect(await currentSend(houses.mailgun, other)).toMatchObject({ state: 'accepted' });
});

test('a retry of hours later, signed at first, still counts', async () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const viaMailgun = await acceptedSend(houses.mailgun, 'email');
  const event = { event: 'delivered', 'user-variables': { waypost_reference: viaMailgun.reference } };
  await postAsMailgun(houses.mailgun.service.url, event, { at: hoursAgo(7.5) });
  expect(await currentSend(houses.mailgun, viaMailgun)).toMatchObject({ state: 'delivered' });
  const viaSendgrid = await acceptedSend(houses.sendgrid, 'email');
  const events = [sendgridFields(viaSendgrid.reference, 'delivered')];
  await postAsSendgrid(houses.sendgrid.service.url, events, { at: hoursAgo(23.9) });
  expect(await currentSend(houses.sendgrid, viaSendgrid)).toMatchObject({ state: 'delivered' });
});

test('behind proxies, Twilio’s signature is of the address that it knows, never of the one where it arrives', async () => {
  const api = await mockApi({ status: 201, body: { sid: 'SM1' } });
  const publicUrl = 'https://updates.example.com';
  const service = await startProviderService(twilioSmsEnv(api.url), { publicUrl });
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed(PUSH_ON_CHANNEL.sms);
  const send = await sendWhen(service, id, 'sms', { state: 'accepted' });
  const reference = `${send.business_id}-${send.id}`;
  const fields = { MessageSid: 'SM1', MessageStatus: 'delivered', To: '+447700900123' };
  expect((await postAsTwilio(service.url, fields, { reference })).status).toBe(403);
  await sendWhen(service, id, 'sms', { state: 'accepted' });
  for (const called of [publicUrl, `${publicUrl}:443`])
    expect((await postAsTwilio(service.url, fields, { reference, called })).status).toBe(200);
  await sendWhen(service, id, 'sms', { state: 'delivered' });
});

test('an event that cannot be stored is answered 429, since Brevo would discard it after a 5xx', async () => {
  const api = await mockApi({ status: 201, body: { messageId: '<1@relay.example>' } });
  const service = await startProviderService(brevoEnv(api.url));
  const shop = await service.business();
  const { id } = await shop.pushed(PUSH_ON_CHANNEL.email);
  const send = await sendWhen(service, id, 'email', { state: 'accepted' });
  const report = () => postAsBrevo(service.url, [brevoEvent(`${send.business_id}-${send.id}`, 'delivered')]);
  await service.pool.query('alter table provider_reports rename to out_of_reach');
  expect((await report()).status).toBe(429);
  await service.pool.query('alter table out_of_reach rename to provider_reports');
  expect((await report()).status).toBe(200);
  await sendWhen(service, id, 'email', { state: 'delivered' });
});

test('Meta’s question whether the address is ours is answered to the letter', async () => {
  const ask = (token: string) =>
    fetch(
      `${houses.postmark.service.url}/callbacks/meta?${new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.verify_token': token,
        'hub.challenge': '1158201444',
      })}`,
    );
  const answer = await ask(PROVIDER_SECRETS.metaVerify);
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
    expect((await postAsSns(houses.ses.service.url, confirmation)).status).toBe(200);
    expect(houses.sns.confirmed).toEqual([confirmation.SubscribeURL]);
  });

  test.each<[string, Record<string, string>]>([
    ['to somebody else’s topic', { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:mine' }],
    ['that leads elsewhere', { SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription' }],
  ])('%s is not', async (_what, change) => {
    const before = [...houses.sns.confirmed];
    expect((await postAsSns(houses.ses.service.url, { ...confirmation, ...change })).status).toBe(403);
    expect(houses.sns.confirmed).toEqual(before);
  });
});

describe('what people write', () => {
  test('STOP as a text, once however often Twilio repeats it', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    const stop = { From: send.phone, MessageSid: `SM${randomUUID()}` };
    await twilioInbound(houses.postmark.service.url, stop);
    expect(await recipientOf(houses.postmark, send)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'text',
    });
    await twilioInbound(houses.postmark.service.url, { From: send.phone, Body: 'START' });
    await twilioInbound(houses.postmark.service.url, stop);
    expect(await recipientOf(houses.postmark, send)).toMatchObject({ sms_status: 'active' });
  });

  test('STOP as a text through Vonage, once however often it is repeated and signed anew', async () => {
    const send = await acceptedSend(houses.brevo, 'sms');
    const { url } = houses.brevo.service;
    const stop = () => vonageInbound(url, send.phone, ' stop ', { id: `stop-${send.id}` });
    expect((await stop()).status).toBe(200);
    expect(await recipientOf(houses.brevo, send)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'text',
    });
    await vonageInbound(url, send.phone, 'START');
    await stop();
    expect(await recipientOf(houses.brevo, send)).toMatchObject({ sms_status: 'active' });
  });

  test('what Twilio made of it counts more than the words', async () => {
    const send = await acceptedSend(houses.postmark, 'sms');
    await twilioInbound(houses.postmark.service.url, {
      From: send.phone,
      Body: 'Lõpeta',
      OptOutType: 'STOP',
    });
    expect(await recipientOf(houses.postmark, send)).toMatchObject({ sms_status: 'stopped' });
  });

  test('a WhatsApp reply is kept and told once, acknowledged in free text, and a button counts as words', async () => {
    const send = await acceptedSend(houses.postmark, 'whatsapp');
    const { url } = houses.postmark.service;
    const id = `wamid.${randomUUID()}`;
    await metaInbound(url, send.phone, 'Where is it?', { id });
    await metaInbound(url, send.phone, 'Where is it?', { id });
    await postAsMeta(url, {
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
    const { rows } = await houses.postmark.service.pool.query(
      'select body from whatsapp_replies where recipient_id = $1 order by id',
      [send.recipient_id],
    );
    expect(rows).toEqual([{ body: 'Where is it?' }, { body: 'Stop' }]);
    expect(await recipientOf(houses.postmark, send)).toMatchObject({ whatsapp_status: 'stopped' });
  });
});

test('a template review callback is about the language that it names, and no other', async () => {
  const { url, pool } = houses.postmark.service;
  const news = (event: string, language: string) =>
    postAsMeta(
      url,
      {
        event,
        message_template_name: 'waypost_order_delayed_v1',
        message_template_language: language,
      },
      { field: 'message_template_status_update' },
    );
  for (const [event, language] of [
    ['APPROVED', 'fi'],
    ['REJECTED', 'et'],
    ['APPROVED', 'pt_PT'],
    ['APPROVED', 'pt_BR'],
    ['DISABLED', 'ja'],
  ] as const)
    expect((await news(event, language)).status).toBe(200);
  const { rows } = await pool.query(
    'select language, order_status, state from template_translations order by 1',
  );
  expect(rows).toEqual([
    { language: 'et', order_status: 'delayed', state: 'in_review' },
    { language: 'fi', order_status: 'delayed', state: 'approved' },
    { language: 'pt', order_status: 'delayed', state: 'approved' },
  ]);
  const english = await pool.query("select state from whatsapp_templates where order_status = 'delayed'");
  expect(english.rows).toEqual([{ state: 'approved' }]);
});

test('a template review callback decides whether the template is sent', async () => {
  const { url, pool } = houses.postmark.service;
  const news = (event: string) =>
    postAsMeta(
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
