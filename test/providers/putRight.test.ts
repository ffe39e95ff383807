import { expect, test } from 'vitest';
import { setTranslationState } from '../../src/templates/sql.ts';
import { metaEnv } from '../support/providerEnvironments.ts';
import { eventually } from '../support/waiting.ts';
import { metaAdapter } from './adapters/meta.ts';
import { twilioError } from './adapters/twilio.ts';
import { mockApi } from './mockApi.ts';
import {
  advanceMinutes,
  metricValue,
  PUSH_ON_CHANNEL,
  providerUnderTest,
  sendWhen,
  startProviderService,
} from './providerService.ts';

const warnings = async (url: string): Promise<string[]> =>
  Object(await (await fetch(`${url}/readyz`)).json()).warnings;

const WRONG_CREDENTIALS: Record<string, string> = {
  postmark: 'Postmark refuses the token (10): check POSTMARK_SERVER_TOKEN.',
  mailgun: 'Mailgun refuses the credentials (401): check MAILGUN_API_KEY and MAILGUN_DOMAIN.',
  sendgrid: 'SendGrid refuses the credentials (401): check SENDGRID_API_KEY.',
  resend: 'Resend refuses the API key (invalid_api_key): check RESEND_API_KEY.',
  ses: 'Amazon SES refuses the credentials (403): check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION.',
  brevo:
    'Brevo refuses the API key (unauthorized): check BREVO_API_KEY, and that Brevo allows the address that this machine calls from.',
  vonage: 'Vonage refuses the credentials (401): check VONAGE_APPLICATION_ID and VONAGE_PRIVATE_KEY.',
  twilioSms: 'Twilio refuses the credentials (20003): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  twilioWhatsapp: 'Twilio refuses the credentials (20003): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  meta: 'The token has expired or was revoked (190): renew META_ACCESS_TOKEN.',
  httpSms: 'The receiver refuses the credentials (401): check HTTP_PROVIDER_SECRET.',
  smtp: 'The mail server refuses the sign-in: check SMTP_USER and SMTP_PASSWORD.',
};

test.each(Object.entries(WRONG_CREDENTIALS))(
  '%s: a wrong credential is said once and shows, the channel waits, and once it is right everything goes out',
  async (name, sentence) => {
    const { channel, open } = providerUnderTest(name);
    const provider = await open();
    provider.behave('refuses the credentials');
    const service = await startProviderService(provider.env);
    const shop = await service.business({ credits: 5 });
    const ids: string[] = [];
    for (const subject of ['First', 'Second', 'Third'])
      ids.push((await shop.pushed({ ...PUSH_ON_CHANNEL[channel], subject })).id);
    const shown = () => metricValue(service.url, 'waypost_channel_paused', { channel });
    const allWait = async () => {
      for (const id of ids) {
        const { attempts } = await sendWhen(service, id, channel, { state: 'queued', reason: null });
        expect(attempts).toBeLessThanOrEqual(1);
      }
    };

    await eventually(async () => expect(await warnings(service.url)).toContain(sentence));
    await allWait();
    expect(await shown()).toBe(1);
    expect(await metricValue(service.url, 'waypost_channel_faults', { channel })).toBe(1);

    // Later, and still wrong: one call finds that out, and no attempt is lost over it.
    const calls = () => metricValue(service.url, 'waypost_sends_total', { channel, outcome: 'not_set_up' });
    const before = await calls();
    await advanceMinutes(service, 5);
    expect(await calls()).toBe(before + 1);
    await allWait();
    expect(service.logged.filter(({ message }) => message === sentence)).toHaveLength(1);

    provider.behave('accepts the message');
    await eventually(async () => {
      await advanceMinutes(service, 5);
      for (const id of ids) expect((await sendWhen(service, id, channel, {})).state).toBe('accepted');
    });
    expect(await shown()).toBe(0);
    expect(await warnings(service.url)).not.toContain(sentence);
    expect(new Set(provider.references())).toHaveLength(ids.length);
    const balance = Object((await shop.get('/api/v1/credits')).body).balance;
    expect(balance).toBe(channel === 'email' ? 5 : 2);
  },
);

test('a carrier’s opt-out ends the text without charge, and is a stop from then on', async () => {
  const provider = await providerUnderTest('twilioSms').open();
  provider.reply(twilioError(400, 21610));
  const service = await startProviderService(provider.env);
  const shop = await service.business({ credits: 5 });
  const later = await shop.pushed({
    ...PUSH_ON_CHANNEL.sms,
    subject: 'Later',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const { id } = await shop.pushed(PUSH_ON_CHANNEL.sms);
  await sendWhen(service, id, 'sms', {
    state: 'rejected',
    reason: 'stopped',
    charged: false,
    error_code: 'sms.submit_refused',
  });
  await sendWhen(service, later.id, 'sms', { state: 'skipped', reason: 'stopped', reserved: false });
  expect(Object((await shop.get('/api/v1/credits')).body).balance).toBe(5);
  expect(Object((await shop.get('/api/v1/recipients/ann@example.com/sms')).body).sms_status).toBe('stopped');
  const stops = await service.pool.query('select business_id, channel, made_by from stops');
  expect(stops.rows).toEqual([{ business_id: shop.businessId, channel: 'sms', made_by: 'text' }]);
  expect((await shop.pushed({ ...PUSH_ON_CHANNEL.sms, subject: 'Again' })).sms).toMatchObject({
    skipped_reason: 'stopped',
  });
  expect(provider.references()).toHaveLength(1);
});

test('a person who blocked us on WhatsApp is stopped there, and gets the text instead where it was asked for', async () => {
  const whatsapp = await providerUnderTest('twilioWhatsapp').open();
  whatsapp.reply(twilioError(400, 63014));
  const service = await startProviderService(whatsapp.env);
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed({ ...PUSH_ON_CHANNEL.whatsapp, sms_if_whatsapp_fails: true });
  await sendWhen(service, id, 'whatsapp', { state: 'rejected', reason: 'stopped', charged: false });
  await sendWhen(service, id, 'sms', { state: 'accepted' });
  const again = await shop.pushed({ ...PUSH_ON_CHANNEL.whatsapp, subject: 'Again' });
  expect(again.whatsapp).toMatchObject({ skipped_reason: 'stopped' });
});

test('a template that the platform does not send in one language is held in that one, and goes on in English', async () => {
  const api = await mockApi({ status: 404, body: { error: { code: 132001 } } });
  const service = await startProviderService(metaEnv(api.url));
  await setTranslationState(service.pool, 'fi', 'shipped', 'approved');
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed({ ...PUSH_ON_CHANNEL.whatsapp, language: 'fi' });
  await sendWhen(service, id, 'whatsapp', { state: 'rejected', reason: 'template_not_sendable' });
  api.reply(metaAdapter.replies['accepts the message']);
  const next = await shop.pushed({ ...PUSH_ON_CHANNEL.whatsapp, subject: 'Next' });
  await sendWhen(service, next.id, 'whatsapp', { state: 'accepted' });
  expect(api.taken.map(({ body }) => JSON.parse(body).template.language.code)).toEqual(['fi', 'en']);
});

test('a template that the platform does not send is held for everyone until it is sent again', async () => {
  const provider = await providerUnderTest('meta').open();
  provider.reply({ status: 404, body: { error: { code: 132001 } } });
  const service = await startProviderService(provider.env);
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed(PUSH_ON_CHANNEL.whatsapp);
  await sendWhen(service, id, 'whatsapp', {
    state: 'rejected',
    reason: 'template_not_sendable',
    charged: false,
  });
  expect(await warnings(service.url)).toContainEqual(expect.stringContaining('template sync'));
  const held = await shop.pushed({ ...PUSH_ON_CHANNEL.whatsapp, subject: 'Held' });
  expect(held.whatsapp).toMatchObject({ queued: false, skipped_reason: 'template_not_sendable' });
  // The others go on.
  provider.behave('accepts the message');
  const other = await shop.pushed({
    ...PUSH_ON_CHANNEL.whatsapp,
    subject: 'Other',
    order_status: 'confirmed',
  });
  await sendWhen(service, other.id, 'whatsapp', { state: 'accepted' });
});

test('a business’s own sender that is at fault holds up nobody else', async () => {
  const provider = await providerUnderTest('twilioSms').open();
  provider.reply(twilioError(400, 21606));
  const service = await startProviderService(provider.env);
  const own = await service.business({ credits: 5 });
  await service.pool.query("insert into business_senders values ($1, 'sms', '+447700900777')", [
    own.businessId,
  ]);
  const shared = await service.business({ credits: 5, name: 'Other Shop' });
  const stuck = await own.pushed(PUSH_ON_CHANNEL.sms);
  await eventually(async () => expect(provider.references()).toHaveLength(1));
  await sendWhen(service, stuck.id, 'sms', { state: 'queued' });
  provider.behave('accepts the message');
  const fine = await shared.pushed(PUSH_ON_CHANNEL.sms);
  await sendWhen(service, fine.id, 'sms', { state: 'accepted' });
  await sendWhen(service, stuck.id, 'sms', { state: 'queued' });
});
