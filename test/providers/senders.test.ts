import { describe, expect, test } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import { openConsole } from '../cli/console.ts';
import { metaEnv, postmarkEnv, SHARED_ENV, twilioSmsEnv } from '../support/providerEnvironments.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { metaInbound, twilioInbound } from './callers.ts';
import { mockApi, type ReceivedRequest } from './mockApi.ts';
import { PUSH_ON_CHANNEL, sendWhen, startProviderService } from './providerService.ts';

const PHONE = '+447700900123';
const OWN = { email: 'orders@own.example', sms: '+447700900777', whatsapp: '2065403522429' };
const SERVICE_SID = `MG${'3'.repeat(32)}`;

/** Three shops that know the same person: one with senders of its own, two that share. */
async function street(): Promise<{
  service: TestService;
  own: Shop;
  sharing: Shop[];
  /** What the messages of a channel came from, in their order. */
  froms: (channel: Channel) => string[];
}> {
  const api = await mockApi({
    status: 200,
    body: { MessageID: 'pm-1', ErrorCode: 0, sid: 'SM1', messages: [{ id: 'wamid.1' }] },
  });
  const service = await startProviderService({
    ...postmarkEnv(api.url),
    ...twilioSmsEnv(api.url),
    ...metaEnv(api.url),
  });
  const own = await service.business({ name: 'Own', credits: 5 });
  const sharing = [
    await service.business({ name: 'First', credits: 5 }),
    await service.business({ name: 'Second', credits: 5 }),
  ];
  for (const [channel, address] of Object.entries(OWN)) await giveSender(service, own, channel, address);
  const sentBy: Record<Channel, (taken: ReceivedRequest) => string | null> = {
    email: ({ path, body }) => (path === '/email' ? JSON.parse(body).From : null),
    sms: ({ path, body }) => (path.endsWith('.json') ? new URLSearchParams(body).get('From') : null),
    whatsapp: ({ path }) => /^\/v23\.0\/(\d+)\/messages$/.exec(path)?.[1] ?? null,
  };
  const froms = (channel: Channel) => api.taken.flatMap((taken) => sentBy[channel](taken) ?? []);
  return { service, own, sharing, froms };
}

/** As the operator does it. */
async function giveSender(service: TestService, { businessId }: Shop, channel: string, address: string) {
  const operator = openConsole(service.database.url, metaEnv('https://graph.example'));
  await operator.json('sender', 'set', businessId, channel, address);
}

async function announce(service: TestService, shop: Shop, channel: Channel): Promise<void> {
  const { id } = await shop.pushed(PUSH_ON_CHANNEL[channel]);
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

test('mail comes from the business’s own address or from the shared one, under its own name', async () => {
  const { service, own, sharing, froms } = await street();
  for (const shop of [own, ...sharing]) await announce(service, shop, 'email');
  expect(froms('email')).toEqual([
    `"Own" <${OWN.email}>`,
    `"First" <${SHARED_ENV.email}>`,
    `"Second" <${SHARED_ENV.email}>`,
  ]);
});

test('a sender that is taken back is used no more', async () => {
  const { service, own, froms } = await street();
  await announce(service, own, 'sms');
  await openConsole(service.database.url).json('sender', 'remove', own.businessId, 'sms');
  const { id } = await own.pushed({ ...PUSH_ON_CHANNEL.sms, subject: 'Another' });
  await sendWhen(service, id, 'sms', { state: 'accepted' });
  expect(froms('sms')).toEqual([OWN.sms, SHARED_ENV.sms]);
});

describe('texts', () => {
  test('come from the business’s own sender, or from the shared one', async () => {
    const { service, own, sharing, froms } = await street();
    for (const shop of [own, ...sharing]) await announce(service, shop, 'sms');
    expect(froms('sms')).toEqual([OWN.sms, SHARED_ENV.sms, SHARED_ENV.sms]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['its own number', { To: OWN.sms }, ['stopped', 'active', 'active']],
    ['the shared number', { To: SHARED_ENV.sms }, ['active', 'stopped', 'stopped']],
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
    if (first) await giveSender(service, first, 'sms', OWN.sms);
    const shops = [own, ...sharing];
    for (const shop of shops) await announce(service, shop, 'sms');
    await twilioInbound(service.url, { From: PHONE, To: OWN.sms });
    expect(await standings(service, shops, 'sms_status')).toEqual(['stopped', 'stopped', 'active']);
    await twilioInbound(service.url, { From: PHONE, To: OWN.sms, Body: 'START' });
    await twilioInbound(service.url, { From: PHONE, To: SHARED_ENV.sms });
    expect(await standings(service, shops, 'sms_status')).toEqual(['active', 'active', 'stopped']);
  });

  test('STOP to its own number is remembered by a business that does not know the person yet', async () => {
    const { service, own } = await street();
    await twilioInbound(service.url, { From: PHONE, To: OWN.sms });
    expect((await own.pushed(PUSH_ON_CHANNEL.sms)).sms).toMatchObject({ skipped_reason: 'stopped' });
  });
});

describe('WhatsApp', () => {
  test('goes out from the business’s own number, and STOP there concerns that business alone', async () => {
    const { service, own, sharing, froms } = await street();
    const shops = [own, ...sharing];
    for (const shop of shops) await announce(service, shop, 'whatsapp');
    expect(froms('whatsapp')).toEqual([OWN.whatsapp, SHARED_ENV.phoneNumberId, SHARED_ENV.phoneNumberId]);
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
