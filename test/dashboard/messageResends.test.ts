import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SettingsChange } from '../../src/businesses/settings.ts';
import { HOUR, later } from '../../src/kit/clock.ts';
import { maskPhone } from '../../src/kit/phoneNumber.ts';
import { insertStop, recordUnsubscribe } from '../interface/recipientEvents.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, mainOf, signedIn } from './memberBrowser.ts';
import { ON_ALL_CHANNELS, sentAbout, withoutSecret, wordsOf } from './messagePages.ts';

let service: TestService;
let shop: Shop;
let memberId: string;
let member: MemberBrowser;
beforeAll(async () => {
  service = await startService({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1:9' });
});
beforeEach(async () => {
  shop = await service.business({ name: 'Acme & Sons', credits: 10 });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'member')).id;
  member = await signedIn(service, memberId);
});
afterAll(() => service.close());

const pathOf = (id: string, more = ''): string => `/dashboard/${shop.businessId}/messages/${id}${more}`;
const read = async (path: string): Promise<string> => wordsOf((await member.get(path)).text);

describe('a resend', () => {
  test('shows the very words and the masked number, and sends them', async () => {
    const { id } = await shop.pushed({ ...ON_ALL_CHANNELS, channels: [] });
    for (const channel of ['sms', 'whatsapp']) {
      const path = pathOf(id, `/resend/${channel}`);
      const { text } = await member.get(path);
      const shown = wordsOf(text);
      expect(shown).toContain(`To ${maskPhone(PHONE_NUMBER)} `);
      expect(text).not.toContain(PHONE_NUMBER);
      expect((await member.submit(path, path)).status).toBe(303);
      const said = await eventually(
        async () => (await sentAbout(service, id, 1)).get(channel)?.text ?? fail('not yet'),
      );
      expect(shown).toContain(withoutSecret(said).replace(/\s+/g, ' '));
    }
    const page = await read(pathOf(id));
    expect(page).toContain('The SMS is queued or has already gone out.');
    expect(page).not.toContain('Send the SMS …');
  });

  test('says when it goes out in quiet hours', async () => {
    const iceland = { ...ON_ALL_CHANNELS, recipient_phone: '+3546111234', channels: [] };
    const { id } = await shop.pushed(iceland);
    const clock = (hours: number) =>
      later(service.clock.now(), hours * HOUR)
        .toISOString()
        .slice(11, 16);
    await service.change(shop, { quietHours: `${clock(-1)}-${clock(2)}` });
    expect(await read(pathOf(id, '/resend/sms'))).toMatch(
      /It goes out at .*UTC , when quiet hours end, and costs 1 credit\./,
    );
  });

  interface Refused {
    settings?: SettingsChange;
    push?: Record<string, unknown>;
    before?: () => Promise<unknown>;
    channel?: 'sms' | 'whatsapp';
    says: string;
    leads: string | null;
  }
  const refused: Record<string, Refused> = {
    paused: {
      settings: { paused: true },
      says: 'No SMS: sending is paused for this shop. The operator can resume it.',
      leads: null,
    },
    'no SMS here': {
      settings: { smsMode: 'not_enabled' },
      says: 'No SMS: SMS is not set up for this account. What it needs',
      leads: '/settings/channels/sms',
    },
    off: {
      settings: { whatsappMode: 'off' },
      channel: 'whatsapp',
      says: 'No WhatsApp message: WhatsApp is switched off for this account. Switch it on',
      leads: '/settings/channels/whatsapp',
    },
    unsubscribed: {
      before: () => recordUnsubscribe(service, shop, 'ann@example.com'),
      says: 'No SMS: the customer has unsubscribed. What they agreed to',
      leads: '/recipients/',
    },
    'no number': {
      push: { recipient_phone: null, whatsapp_opt_in: null },
      says: 'No SMS: the customer’s number is not known. Set their number',
      leads: '/recipients/',
    },
    stopped: {
      before: () => insertStop(service, shop, 'sms', PHONE_NUMBER),
      says: 'No SMS: the customer has stopped SMS messages. What they agreed to',
      leads: '/recipients/',
    },
    'not agreed': {
      push: { whatsapp_opt_in: null },
      channel: 'whatsapp',
      says: 'No WhatsApp message: the customer has not agreed to WhatsApp messages. What they agreed to',
      leads: '/recipients/',
    },
    'no template': {
      push: { order_status: 'unheard of' },
      channel: 'whatsapp',
      says: 'No WhatsApp message: no approved wording fits this message. What it needs',
      leads: '/settings/channels/whatsapp',
    },
    'another country': {
      settings: { countriesCeiling: ['FI'] },
      says: 'No SMS: the country of the customer’s number is not allowed. Countries that are allowed',
      leads: '/settings/channels#limits',
    },
    'no credits': {
      before: () =>
        service.pool.query('update credit_accounts set balance = 0 where business_id = $1', [
          shop.businessId,
        ]),
      says: 'No SMS: there is not enough credit. Credits',
      leads: '/credits',
    },
    'too many': {
      settings: { paidPerRecipientHourCeiling: 1 },
      before: async () =>
        sentAbout(service, (await shop.pushed({ ...ON_ALL_CHANNELS, channels: ['sms'] })).id, 2),
      says: 'No SMS: the customer has had as many messages within the hour as one may get. The limit',
      leads: '/settings/channels#limits',
    },
  };

  test.each(Object.entries(refused))(
    'is not offered where it cannot go, and leads to where that is put right: %s',
    async (_, { settings, push, before, channel = 'sms', says, leads }) => {
      const { id } = await shop.pushed({ ...ON_ALL_CHANNELS, channels: [], ...push });
      const offer = `/resend/${channel}"`;
      expect((await member.get(pathOf(id))).text.includes(offer)).toBe(push === undefined);
      await before?.();
      if (settings) await service.change(shop, settings);
      for (const path of ['', `/resend/${channel}`]) {
        const { text } = await member.get(pathOf(id, path));
        expect(wordsOf(text)).toContain(says);
        expect(text).not.toContain(offer);
        expect(text).not.toContain('Send it now');
        if (leads !== null) {
          const [, href = ''] = new RegExp(`href="([^"]*${leads}[^"]*)"`).exec(mainOf(text)) ?? [];
          expect((await member.get(href.replace(/#.*/, ''))).status).toBe(200);
        }
      }
      // The API agrees.
      const answer = await shop.post(`/api/v1/messages/${id}/${channel}`);
      expect(expectStatus<{ queued: boolean }>(200, answer).queued).toBe(false);
    },
  );

  test('is neither offered nor explained to who may not, nor of a message that is over', async () => {
    const { id } = await shop.pushed({ ...ON_ALL_CHANNELS, channels: [] });
    const viewer = await signedIn(
      service,
      (await joinShop(service, shop.businessId, 'viewer@shop.example', 'viewer')).id,
    );
    expect((await viewer.get(pathOf(id))).text).not.toContain('What you can do');
    await shop.post(`/api/v1/messages/${id}/retract`);
    expect(await read(pathOf(id))).not.toContain('What you can do');
    expect(await read(pathOf(id, '/resend/sms'))).toContain('No SMS: the message was retracted.');
  });
});

function fail(message: string): never {
  throw new Error(message);
}
