import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PaidChannel } from '../../src/contract/channels.ts';
import { isSenderOf, senderForms } from '../../src/providers/senders.ts';
import { openConsole } from '../cli/console.ts';
import { testDatabase } from '../support/database.ts';
import {
  metaEnv,
  SHARED_ENV,
  twilioSmsEnv,
  twilioWhatsappEnv,
  vonageEnv,
} from '../support/providerEnvironments.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { vonageInbound } from './callers/vonage.ts';
import { metaInbound, twilioInbound } from './callers.ts';
import { type MockReply, mockApi } from './mockApi.ts';
import { allTemplates, PUSH_ON_CHANNEL, sendWhen, startProviderService } from './providerService.ts';

const PHONE = '+447700900123';
const TWILIO = { service: `MG${'3'.repeat(32)}`, shared: SHARED_ENV.sms, whatsapp: '+447700900778' };
const VONAGE = { own: '+447700900777', shared: '+447700900902' };
const META = { own: '2065403522429' };
const BUSY: MockReply = { status: 429, body: {} };

/** Twilio stands before Vonage for texts, and Meta before Twilio on WhatsApp. */
async function severalProviders() {
  const busy = new Set<string>();
  const nameOf = (path: string): string =>
    path.startsWith('/2010-04-01/') ? 'twilio' : path.startsWith('/v1/') ? 'vonage' : 'meta';
  const api = await mockApi(
    { status: 202, body: { sid: 'SM1', message_uuid: 'v-1', messages: [{ id: 'wamid.1' }] } },
    () => ({ status: 200, body: allTemplates() }),
    ({ path }) => (busy.has(nameOf(path)) ? BUSY : null),
  );
  const env = {
    ...twilioSmsEnv(api.url),
    ...twilioWhatsappEnv(api.url),
    ...vonageEnv(api.url),
    ...metaEnv(api.url),
    VONAGE_FROM: VONAGE.shared,
    SMS_PROVIDER: 'twilio,vonage',
    WHATSAPP_PROVIDER: 'meta,twilio',
  };
  const service = await startProviderService(env);
  const cli = openConsole(service.database.url, env);
  return {
    service,
    busy,
    set: (shop: Shop, ...words: string[]) => cli.json('sender', 'set', shop.businessId, ...words),
    /** Who was asked, and from which sender, in order. */
    asked: () =>
      api.taken
        .filter(({ method }) => method === 'POST')
        .map(({ path, body }) => {
          const name = nameOf(path);
          const form = new URLSearchParams(body);
          if (name === 'twilio') return `twilio ${form.get('MessagingServiceSid') ?? form.get('From')}`;
          return name === 'meta' ? `meta ${path.split('/')[2]}` : `vonage +${JSON.parse(body).from}`;
        }),
  };
}

async function announce(service: TestService, shop: Shop, channel: PaidChannel): Promise<void> {
  const { id } = await shop.pushed(PUSH_ON_CHANNEL[channel]);
  await sendWhen(service, id, channel, { state: 'accepted' });
}

describe('the provider that takes the message sends it from', () => {
  test('its own sender of the business, where the first took nothing', async () => {
    const { service, set, busy, asked } = await severalProviders();
    const shop = await service.business({ credits: 5 });
    await set(shop, 'sms', TWILIO.service, '--provider', 'twilio');
    await set(shop, 'sms', VONAGE.own, '--provider', 'vonage');
    busy.add('twilio');
    await announce(service, shop, 'sms');
    expect(asked()).toEqual([`twilio ${TWILIO.service}`, `vonage ${VONAGE.own}`]);
  });

  test('the business’s sender with every provider, where it can', async () => {
    const { service, set, busy, asked } = await severalProviders();
    const [named, withService] = [
      await service.business({ credits: 5 }),
      await service.business({ credits: 5 }),
    ];
    await set(named, 'sms', 'Acme');
    await set(named, 'sms', VONAGE.own, '--provider', 'vonage');
    await set(withService, 'sms', TWILIO.service);
    busy.add('twilio');
    await announce(service, named, 'sms');
    await announce(service, withService, 'sms');
    expect(asked()).toEqual([
      'twilio Acme',
      `vonage ${VONAGE.own}`,
      `twilio ${TWILIO.service}`,
      `vonage ${VONAGE.shared}`,
    ]);
  });

  test('the shared one, on WhatsApp, where the business’s number is another provider’s', async () => {
    const { service, set, busy, asked } = await severalProviders();
    const shop = await service.business({ credits: 5 });
    await set(shop, 'whatsapp', TWILIO.whatsapp);
    busy.add('meta');
    await announce(service, shop, 'whatsapp');
    expect(asked()).toEqual([`meta ${SHARED_ENV.phoneNumberId}`, `twilio whatsapp:${TWILIO.whatsapp}`]);
  });
});

describe('STOP', () => {
  /** Whose texts are stopped, of shops with senders of their own with both, with Twilio alone, as a service, and with none. */
  async function street() {
    const here = await severalProviders();
    const { service, set } = here;
    const shop = () => service.business({ credits: 5 });
    const shops = { both: await shop(), alone: await shop(), service: await shop(), none: await shop() };
    await set(shops.both, 'sms', '+447700900551', '--provider', 'twilio');
    await set(shops.both, 'sms', VONAGE.own, '--provider', 'vonage');
    await set(shops.alone, 'sms', '+447700900552', '--provider', 'twilio');
    await set(shops.service, 'sms', TWILIO.service);
    for (const one of Object.values(shops)) await announce(service, one, 'sms');
    const stopped = async () => {
      const { rows } = await service.pool.query<{ business_id: string }>(
        "select business_id from recipients where sms_status = 'stopped'",
      );
      const ids = rows.map(({ business_id }) => business_id);
      return Object.entries(shops).flatMap(([name, { businessId }]) =>
        ids.includes(businessId) ? [name] : [],
      );
    };
    return { ...here, stopped };
  }

  test('is heard at the sender with each provider', async () => {
    const { service, stopped } = await street();
    await twilioInbound(service.url, { From: PHONE, To: '+447700900552' });
    expect(await stopped()).toEqual(['alone']);
    await vonageInbound(service.url, PHONE, 'STOP', { to: VONAGE.own });
    expect(await stopped()).toEqual(['both', 'alone']);
    await twilioInbound(service.url, { From: PHONE, To: '+447700900551', Body: 'START' });
    expect(await stopped()).toEqual(['alone']);
    await twilioInbound(service.url, { From: PHONE, To: '+447700900551' });
    await twilioInbound(service.url, {
      From: PHONE,
      To: '+447700900559',
      MessagingServiceSid: TWILIO.service,
    });
    expect(await stopped()).toEqual(['both', 'alone', 'service']);
  });

  test('to the shared sender of a provider counts for those who send from it', async () => {
    const { service, stopped } = await street();
    await twilioInbound(service.url, { From: PHONE, To: TWILIO.shared });
    expect(await stopped()).toEqual(['none']);
    await vonageInbound(service.url, PHONE, 'STOP', { to: VONAGE.shared });
    expect(await stopped()).toEqual(['alone', 'service', 'none']);
    await vonageInbound(service.url, PHONE, 'START', { to: VONAGE.shared });
    expect(await stopped()).toEqual([]);
  });

  test('to a number that nobody sends from any more counts for those on the shared sender of its provider', async () => {
    const { service, stopped } = await street();
    await vonageInbound(service.url, PHONE, 'STOP', { to: '+447700900999' });
    expect(await stopped()).toEqual(['alone', 'service', 'none']);
  });

  test('on WhatsApp is heard at the number with each provider', async () => {
    const { service, set } = await severalProviders();
    const shop = await service.business({ credits: 5 });
    const other = await service.business({ credits: 5 });
    await set(shop, 'whatsapp', META.own, '--provider', 'meta');
    for (const one of [shop, other]) await announce(service, one, 'whatsapp');
    await metaInbound(service.url, PHONE, 'stop', { phoneNumberId: META.own });
    const { rows } = await service.pool.query(
      "select business_id from recipients where whatsapp_status = 'stopped'",
    );
    expect(rows).toEqual([{ business_id: shop.businessId }]);
  });
});

test('Postgres sees the forms of senders as we do', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  const near = fc.oneof(
    fc.stringMatching(/^\+?\d{1,22}$/),
    fc.stringMatching(/^[A-Za-z0-9 ]{1,13}$/),
    fc.stringMatching(/^[Mm][Gg][0-9a-fA-F]{31,33}$/),
    fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
  );
  const cases: [PaidChannel, string][] = [
    ['sms', 'twilio'],
    ['sms', 'vonage'],
    ['whatsapp', 'meta'],
    ['whatsapp', 'http'],
  ];
  for (const [channel, provider] of cases) {
    const forms = senderForms(channel, [provider]);
    const addresses = [...fc.sample(near, 1_000), TWILIO.service, VONAGE.own, META.own, 'Acme\n', '40404'];
    const { rows } = await database.pool.query<{ fits: boolean }>(
      'select a ~* any ($2::text[]) as fits from unnest($1::text[]) with ordinality u (a, n) order by n',
      [addresses, forms.map(({ pattern }) => pattern.source)],
    );
    expect(rows.map(({ fits }, at) => [addresses[at], fits])).toEqual(
      addresses.map((address) => [address, isSenderOf(forms, address)]),
    );
  }
});
