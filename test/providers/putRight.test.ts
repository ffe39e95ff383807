import { expect, test } from 'vitest';
import { advanceDatabaseTime } from '../../src/db/databaseClockSql.ts';
import { eventually } from '../helpers/waiting.ts';
import { twilioError } from './adapters.ts';
import { ASKING, CARRIERS, type Carrier, counted, openHouse, sendWhen } from './house.ts';

const MINUTE = 60_000;
const carrier = (name: string): Carrier => {
  const found = CARRIERS[name];
  if (!found) throw new Error(`there is no carrier ${name}`);
  return found;
};
const warnings = async (url: string): Promise<string[]> =>
  Object(await (await fetch(`${url}/readyz`)).json()).warnings;

test('a wrong credential is said once and shows, the channel waits, and once it is right everything goes out', async () => {
  const provider = await carrier('twilioSms').open();
  provider.behave('refuses the credentials');
  const service = await openHouse(provider.env);
  const shop = await service.business({ credits: 5 });
  const pushed: { id: string }[] = [];
  for (let n = 0; n < 3; n += 1) {
    pushed.push(
      await shop.pushed({ ...ASKING.sms, subject: `Update ${n}`, recipient_email: 'ann@example.com' }),
    );
  }
  const sentence = 'Twilio refuses the credentials (20003): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.';
  await eventually(async () => expect(await warnings(service.url)).toContain(sentence));
  for (const { id } of pushed) {
    const send = await sendWhen(service, id, 'sms', { state: 'queued', reason: null });
    expect(send.attempts).toBeLessThanOrEqual(1);
  }
  expect(
    service.logged.filter(({ level, message }) => level === 'error' && message === sentence),
  ).toHaveLength(1);
  expect(await counted(service.url, 'waypost_channel_paused', { channel: 'sms' })).toBe(1);
  expect(await counted(service.url, 'waypost_channel_faults', { channel: 'sms' })).toBe(1);
  const tries = provider.references().length;

  // Later, and still wrong: one call finds out, and no attempt is lost over it.
  await advanceDatabaseTime(service.pool, 5 * MINUTE);
  await eventually(async () => expect(provider.references()).toHaveLength(tries + 1));
  for (const { id } of pushed) {
    const { attempts } = await sendWhen(service, id, 'sms', { state: 'queued' });
    expect(attempts).toBeLessThanOrEqual(1);
  }

  provider.behave('takes it');
  for (let n = 0; n < 3; n += 1) {
    await advanceDatabaseTime(service.pool, 5 * MINUTE);
    await eventually(async () =>
      expect(await counted(service.url, 'waypost_channel_paused', { channel: 'sms' })).toBe(0),
    );
  }
  await eventually(async () => {
    await advanceDatabaseTime(service.pool, MINUTE);
    for (const { id } of pushed) await sendWhen(service, id, 'sms', { state: 'accepted', charged: true });
  });
  expect(await warnings(service.url)).not.toContain(sentence);
  expect(Object((await shop.get('/api/v1/credits')).body).balance).toBe(2);
}, 90_000);

test('a carrier’s opt-out ends the text without charge, and is a stop from then on', async () => {
  const provider = await carrier('twilioSms').open();
  provider.reply(twilioError(400, 21610));
  const service = await openHouse(provider.env);
  const shop = await service.business({ credits: 5 });
  const later = await shop.pushed({
    ...ASKING.sms,
    subject: 'Later',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const { id } = await shop.pushed(ASKING.sms);
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
  expect((await shop.pushed({ ...ASKING.sms, subject: 'Again' })).sms).toMatchObject({
    skipped_reason: 'stopped',
  });
  expect(provider.references()).toHaveLength(1);
});

test('a person who blocked us on WhatsApp is stopped there, and gets the text instead where it was asked for', async () => {
  const whatsapp = await carrier('twilioWhatsapp').open();
  whatsapp.reply(twilioError(400, 63014));
  const service = await openHouse(whatsapp.env);
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed({ ...ASKING.whatsapp, sms_if_whatsapp_fails: true });
  await sendWhen(service, id, 'whatsapp', { state: 'rejected', reason: 'stopped', charged: false });
  await sendWhen(service, id, 'sms', { state: 'accepted' });
  const again = await shop.pushed({ ...ASKING.whatsapp, subject: 'Again' });
  expect(again.whatsapp).toMatchObject({ skipped_reason: 'stopped' });
});

test('a template that the platform does not send is held for everyone until it is sent again', async () => {
  const provider = await carrier('meta').open();
  provider.reply({ status: 404, body: { error: { code: 132001 } } });
  const service = await openHouse(provider.env);
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed(ASKING.whatsapp);
  await sendWhen(service, id, 'whatsapp', {
    state: 'rejected',
    reason: 'template_not_sendable',
    charged: false,
  });
  expect(await warnings(service.url)).toContainEqual(expect.stringContaining('template sync'));
  const held = await shop.pushed({ ...ASKING.whatsapp, subject: 'Held' });
  expect(held.whatsapp).toMatchObject({ queued: false, skipped_reason: 'template_not_sendable' });
  // The others go on.
  provider.behave('takes it');
  const other = await shop.pushed({ ...ASKING.whatsapp, subject: 'Other', order_status: 'confirmed' });
  await sendWhen(service, other.id, 'whatsapp', { state: 'accepted' });
});

test('a business’s own sender that is at fault holds up nobody else', async () => {
  const provider = await carrier('twilioSms').open();
  provider.reply(twilioError(400, 21606));
  const service = await openHouse(provider.env);
  const own = await service.business({ credits: 5 });
  await service.pool.query("insert into business_senders values ($1, 'sms', '+447700900777')", [
    own.businessId,
  ]);
  const shared = await service.business({ credits: 5, name: 'Other Shop' });
  const stuck = await own.pushed(ASKING.sms);
  await eventually(async () => expect(provider.references()).toHaveLength(1));
  await sendWhen(service, stuck.id, 'sms', { state: 'queued' });
  provider.behave('takes it');
  const fine = await shared.pushed(ASKING.sms);
  await sendWhen(service, fine.id, 'sms', { state: 'accepted' });
  await sendWhen(service, stuck.id, 'sms', { state: 'queued' });
});
