import { describe, expect, test } from 'vitest';
import type { TestService } from '../helpers/service.ts';
import type { Shop } from '../helpers/shop.ts';
import { metaInbound, twilioInbound } from './callers.ts';
import { metaEnv, SHARED, twilioSmsEnv } from './environments.ts';
import { ASKING, openHouse, sendWhen } from './house.ts';
import { mockApi } from './mockApi.ts';

const PHONE = '+447700900123';
const OWN = { sms: '+447700900777', whatsapp: '2065403522429' };
const SERVICE_SID = `MG${'3'.repeat(32)}`;

/** Three shops that know the same person: one with senders of its own, two that share. */
async function street(): Promise<{
  service: TestService;
  own: Shop;
  sharing: Shop[];
  froms: () => string[];
}> {
  const api = await mockApi({ status: 201, body: { sid: 'SM1', messages: [{ id: 'wamid.1' }] } });
  const service = await openHouse({ ...twilioSmsEnv(api.url), ...metaEnv(api.url) });
  const own = await service.business({ name: 'Own', credits: 5 });
  const sharing = [
    await service.business({ name: 'First', credits: 5 }),
    await service.business({ name: 'Second', credits: 5 }),
  ];
  for (const [channel, address] of Object.entries(OWN)) {
    await service.pool.query('insert into business_senders values ($1, $2, $3)', [
      own.businessId,
      channel,
      address,
    ]);
  }
  const froms = () =>
    api.taken.map(({ path, body }) => new URLSearchParams(body).get('From') ?? path.split('/')[2] ?? '');
  return { service, own, sharing, froms };
}

async function announce(service: TestService, shop: Shop, channel: 'sms' | 'whatsapp'): Promise<void> {
  const { id } = await shop.pushed(ASKING[channel]);
  await sendWhen(service, id, channel, { state: 'accepted' });
}

async function standings(
  service: TestService,
  shops: readonly Shop[],
  column: 'sms_status' | 'whatsapp_status',
) {
  const { rows } = await service.pool.query(`select business_id, ${column} as status from recipients`);
  return shops.map(({ businessId }) => rows.find((row) => row.business_id === businessId)?.status);
}

describe('texts', () => {
  test('come from the business’s own sender, or from the shared one', async () => {
    const { service, own, sharing, froms } = await street();
    for (const shop of [own, ...sharing]) await announce(service, shop, 'sms');
    expect(froms()).toEqual([OWN.sms, SHARED.sms, SHARED.sms]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['its own number', { To: OWN.sms }, ['stopped', 'active', 'active']],
    ['the shared number', { To: SHARED.sms }, ['active', 'stopped', 'stopped']],
    [
      'a number of ours that nobody sends from any more',
      { To: '+447700900555' },
      ['active', 'stopped', 'stopped'],
    ],
    [
      'its own number, through a service that is nobody’s',
      { To: OWN.sms, MessagingServiceSid: SERVICE_SID },
      ['stopped', 'active', 'active'],
    ],
  ])('STOP to %s counts for those who text from it', async (_what, fields, expected) => {
    const { service, own, sharing } = await street();
    const shops = [own, ...sharing];
    for (const shop of shops) await announce(service, shop, 'sms');
    expect((await twilioInbound(service.url, { From: PHONE, ...fields })).status).toBe(200);
    expect(await standings(service, shops, 'sms_status')).toEqual(expected);
  });

  test('STOP to a sender that several businesses have counts for all of them', async () => {
    const { service, own, sharing } = await street();
    const [first] = sharing;
    await service.pool.query("insert into business_senders values ($1, 'sms', $2)", [
      first?.businessId,
      OWN.sms,
    ]);
    const shops = [own, ...sharing];
    for (const shop of shops) await announce(service, shop, 'sms');
    await twilioInbound(service.url, { From: PHONE, To: OWN.sms });
    expect(await standings(service, shops, 'sms_status')).toEqual(['stopped', 'stopped', 'active']);
    await twilioInbound(service.url, { From: PHONE, To: OWN.sms, Body: 'START' });
    await twilioInbound(service.url, { From: PHONE, To: SHARED.sms });
    expect(await standings(service, shops, 'sms_status')).toEqual(['active', 'active', 'stopped']);
  });

  test('STOP to its own number is remembered by a business that does not know the person yet', async () => {
    const { service, own } = await street();
    await twilioInbound(service.url, { From: PHONE, To: OWN.sms });
    expect((await own.pushed(ASKING.sms)).sms).toMatchObject({ skipped_reason: 'stopped' });
  });
});

describe('WhatsApp', () => {
  test('goes out from the business’s own number, and STOP there concerns that business alone', async () => {
    const { service, own, sharing, froms } = await street();
    const shops = [own, ...sharing];
    for (const shop of shops) await announce(service, shop, 'whatsapp');
    expect(froms()).toEqual([OWN.whatsapp, SHARED.phoneNumberId, SHARED.phoneNumberId]);
    await metaInbound(service.url, PHONE, 'stop', { phoneNumberId: OWN.whatsapp });
    expect(await standings(service, shops, 'whatsapp_status')).toEqual(['stopped', 'active', 'active']);
    await metaInbound(service.url, PHONE, 'stop');
    expect(await standings(service, shops, 'whatsapp_status')).toEqual(['stopped', 'stopped', 'stopped']);
  });

  test('a reply goes to the business whose number was written to', async () => {
    const { service, own, sharing } = await street();
    for (const shop of [own, ...sharing]) await announce(service, shop, 'whatsapp');
    await metaInbound(service.url, PHONE, 'Thank you', { phoneNumberId: OWN.whatsapp });
    const { rows } = await service.pool.query('select business_id, body from whatsapp_replies');
    expect(rows).toEqual([{ business_id: own.businessId, body: 'Thank you' }]);
  });
});
