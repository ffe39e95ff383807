import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '../../src/kit/clock.ts';
import { FULL_PUSH } from '../interface/channelOutcomes.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let browser: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ credits: 10 });
  const { id } = await joinShop(service, shop.businessId, 'support@shop.example', 'viewer');
  browser = await signedIn(service, id);
});
afterAll(() => service.close());

const inMinutes = (minutes: number): string =>
  new Date(service.clock.now().getTime() + minutes * MINUTE).toISOString();

/** What the list and the message's own page say of it, with each time as the moment that the viewer's browser shows. */
async function shown(id: string): Promise<string[]> {
  const list = `/dashboard/${shop.businessId}/messages`;
  const [onList, page] = await Promise.all([browser.get(list), browser.get(`${list}/${id}`)]);
  const [, row] = new RegExp(`id="m-${id}"([\\s\\S]*?)</tr>`).exec(onList.text) ?? [];
  return [row ?? '', page.text].map((html) =>
    html
      .replace(/<time datetime="([^"]*)"[^>]*data-moment[^>]*>[^<]*<\/time>/g, '$1')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  );
}

test('a scheduled email and text show when they go out', async () => {
  const at = inMinutes(20 * 60);
  const { id } = await shop.pushed({ ...FULL_PUSH, channels: ['sms'], send_at: at });
  for (const text of await shown(id)) {
    expect(text).toContain(`Email goes out ${at}`);
    expect(text).toContain(`SMS goes out ${at}`);
  }
});

test('a text that waits for its message to stay unread shows until when', async () => {
  const { id, sms } = await shop.pushed({
    ...FULL_PUSH,
    channels: ['sms'],
    escalate_if_unread_after_minutes: 60,
  });
  for (const text of await shown(id)) expect(text).toContain(`SMS at ${sms?.escalates_at} if still unread`);
  await service.advance({ minutes: 61 });
  for (const text of await shown(id)) expect(text).not.toContain('if still unread');
});

test('a text that stands in for WhatsApp shows when it would go', async () => {
  const { id } = await shop.pushed({
    ...FULL_PUSH,
    recipient_email: 'other@example.com',
    recipient_phone: '+37255509004',
    channels: ['whatsapp'],
    sms_if_whatsapp_fails: true,
  });
  await expect
    .poll(async () => (await shown(id)).every((text) => /SMS at \S+Z if WhatsApp does not arrive/.test(text)))
    .toBe(true);
});
