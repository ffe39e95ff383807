import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR, later } from '../../src/kit/clock.ts';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { FULL_PUSH } from '../interface/channelOutcomes.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { csrfIn, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let console: TestConsole;
let shop: Shop;
let owner: MemberBrowser;
let viewer: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  console = openConsole(service.database.url);
});
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
  owner = await signedIn(service, (await joinShop(service, shop.businessId, 'o@shop.example', 'owner')).id);
  viewer = await signedIn(service, (await joinShop(service, shop.businessId, 'v@shop.example', 'viewer')).id);
});
afterAll(() => service.close());

const page = (path: string): string => `/dashboard/${shop.businessId}${path}`;
const channels = (): string => page('/settings/channels');
const shown = () => console.json('business', 'show', shop.businessId);

/** A number in Iceland, where the clocks show UTC all year. */
const SMS = { ...FULL_PUSH, recipient_phone: '+3546111234', channels: ['sms'] };
const clock = (moment: Date): string => moment.toISOString().slice(11, 16);

/** Quiet hours around this moment; answers when they end. */
async function quiet(): Promise<string> {
  const [start, end] = [later(service.clock.now(), -HOUR), later(service.clock.now(), 2 * HOUR)].map(clock);
  await service.change(shop, { quietHours: `${start}-${end}` });
  return end ?? '';
}

const words = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('an owner sets and clears them; others read them, and the log says who changed what', async () => {
  const set = {
    quiet_hours: '21:00-08:00',
    quiet_hours_except: 'out_for_delivery',
    was_quiet_hours_except: '',
  };
  expect((await owner.submit(channels(), channels(), set)).status).toBe(303);
  expect(await shown()).toMatchObject({
    quiet_hours: '21:00-08:00',
    quiet_hours_except: ['out_for_delivery'],
  });
  const form = (await owner.get(channels())).text;
  expect(form).toContain('name="quiet_hours" type="text" value="21:00-08:00"');
  expect(form).toContain('name="quiet_hours_except" value="out_for_delivery" checked');
  expect(words((await viewer.get(channels())).text)).toContain(
    'Quiet hours 21:00-08:00 Sent also in quiet hours Out for delivery',
  );
  expect((await viewer.get(channels())).text).not.toContain('name="quiet_hours"');

  const clear = { quiet_hours: '', was_quiet_hours_except: 'out_for_delivery' };
  expect((await owner.submit(channels(), channels(), clear)).status).toBe(303);
  expect(await shown()).toMatchObject({ quiet_hours: null, quiet_hours_except: [] });
  const { text } = await viewer.get(page('/settings/audit'));
  expect(text).toContain('Quiet hours: none → 21:00-08:00');
  expect(text).toContain('Order statuses without quiet hours: none → out for delivery');
});

test('hours that make no sense are refused with what is wrong, and nothing is lost', async () => {
  const refused = await owner.submit(channels(), channels(), { quiet_hours: '08:00-22:00' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain(
    'This must be from when to when, such as 21:00-08:00, at most 13 hours, or blank.',
  );
  expect(refused.text).toContain('value="08:00-22:00"');
  expect(await shown()).toMatchObject({ quiet_hours: null });
});

test('the list, the message and its timeline say until when a text waits', async () => {
  const end = await quiet();
  const { id } = await shop.pushed(SMS);
  for (const path of ['/messages', `/messages/${id}`]) {
    const text = words((await viewer.get(page(path))).text);
    expect(text).toMatch(new RegExp(`SMS waits until [^(]*${end} UTC \\(${end} in Iceland: quiet hours\\)`));
  }
  expect((await viewer.get(page(`/messages/${id}`))).text).toMatch(
    new RegExp(`The SMS waits until [^:]*, ${end} in Iceland: quiet hours\\.`),
  );
});

test('they say of a deadline that quiet hours moved it', async () => {
  const end = await quiet();
  const { id } = await shop.pushed({ ...SMS, escalate_if_unread_after_minutes: 60 });
  const text = words((await viewer.get(page(`/messages/${id}`))).text);
  expect(text).toMatch(new RegExp(`SMS at [^(]*\\(${end} in Iceland: quiet hours\\) if still unread`));
});

test('the preview of a push by hand says until when its text would wait', async () => {
  const end = await quiet();
  const { text: form } = await owner.get(page('/push'));
  const preview = await owner.post(page('/push/preview'), {
    csrf: csrfIn(form),
    key: /name="key" value="([^"]+)"/.exec(form)?.[1] ?? '',
    recipient_email: 'ann@example.com',
    recipient_phone: SMS.recipient_phone,
    subject: 'Your order',
    body: 'It is late.',
    channels: 'email sms',
  });
  expect(words(preview.text)).toMatch(new RegExp(`Goes out [^:]*${end} UTC , when quiet hours end`));
});
