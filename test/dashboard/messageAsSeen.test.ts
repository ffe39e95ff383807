import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserTest, openBrowser } from '../support/browser.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, signedIn, signInProfile } from './memberBrowser.ts';
import { INBOX_LINK, ON_ALL_CHANNELS, sentAbout, withoutSecret, wordsOf } from './messagePages.ts';

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

describe('what the customer sees', () => {
  test('is what they got, on each channel: the words of real sends, with a link that opens nothing', async () => {
    await shop.put('/api/v1/orders/%231001/shipments/JD01', { carrier: 'Omniva', expected_on: '2030-12-30' });
    const { id } = await shop.pushed(ON_ALL_CHANNELS);
    const sent = await sentAbout(service, id, 3);
    const mail = await member.get(pathOf(id, '/mail'));
    const unsubscribe =
      /<a href="([^"]*\/unsubscribe\/[^"]*)"/.exec(sent.get('email')?.html ?? '')?.[1] ?? '?';
    const expected = withoutSecret(sent.get('email')?.html ?? '').replaceAll(unsubscribe, service.url);
    expect(mail.text.replace('<base target="_blank">', '')).toBe(expected);
    expect(mail.text).toContain('JD01');
    for (const channel of ['sms', 'whatsapp']) {
      const text = await read(pathOf(id, `?shown=${channel}`));
      expect(text).toContain(withoutSecret(sent.get(channel)?.text ?? '?').replace(/\s+/g, ' '));
      expect(text).toMatch(
        /It went out on [^.]*\. This is how it reads now: it differs from what went out where/,
      );
      expect(text).toContain('In place of the x’s stands a link of the customer’s own.');
    }
    expect(await read(pathOf(id, '?shown=email'))).toContain('Acme & Sons Your order #1001 has shipped');
    expect(wordsOf((await member.get(pathOf(id, '/inbox'))).text)).toMatch(
      /Order #1001 .*It left our warehouse/,
    );
  });

  test('is tabs that are links, with the inbox first, and WhatsApp only where it was planned', async () => {
    const { id } = await shop.pushed();
    const tabs = async (query: string) => {
      const { text } = await member.get(pathOf(id, query));
      const [nav = ''] = /<nav class="choices tabs"[\s\S]*?<\/nav>/.exec(text) ?? [];
      return [...nav.matchAll(/\?shown=(\w+)#seen"( aria-current="page")?/g)].map(
        ([, name, current]) => name + (current === undefined ? '' : '!'),
      );
    };
    expect(await tabs('')).toEqual(['inbox!', 'email', 'sms', 'json']);
    expect(await tabs('?shown=sms')).toEqual(['inbox', 'email', 'sms!', 'json']);
    expect(await tabs('?shown=nonsense')).toEqual(['inbox!', 'email', 'sms', 'json']);
    expect(await read(pathOf(id, '?shown=sms'))).toContain(
      'No SMS has gone out. One that goes out now reads so:',
    );
  });

  test('says where the inbox shows it otherwise', async () => {
    const { id } = await shop.pushed();
    expect(await read(pathOf(id))).toContain('As it looks once they have opened it.');
    const next = await shop.pushed({ obsoletes: [id] });
    expect(await read(pathOf(id))).toContain('A newer message replaced it.');
    await shop.post(`/api/v1/messages/${next.id}/retract`);
    expect(await read(pathOf(next.id))).toContain('their inbox shows it dimmed and says so');
    expect((await member.get(pathOf(next.id, '/inbox'))).text).toContain('class="message retracted"');
  });

  test('says of an update in place what its mail says', async () => {
    const push = { kind: 'updateable', reference: '#1001', order_status: 'shipped', notify: true };
    const { id } = await shop.pushed(push);
    await service.advance({ seconds: 2 });
    await shop.pushed({ ...push, order_status: 'delivered' });
    const { text } = await member.get(pathOf(id, '/mail'));
    const mail = await eventually(async () => {
      const all = await capturedMessages(service.url);
      const last = all.find(({ message_id, text: said }) => message_id === id && said.includes('delivered'));
      return last ?? fail('not yet');
    });
    const said = /\n\n([^\n]*delivered[^\n]*)\n/.exec(mail.text)?.[1] ?? '?';
    expect(text).toContain(said);
  });

  test('is inert, in no other site’s frame, and nobody else’s', async () => {
    const { id } = await shop.pushed(ON_ALL_CHANNELS);
    const other = await service.business();
    const stranger = await signedIn(
      service,
      (await joinShop(service, other.businessId, 'stranger@shop.example', 'owner')).id,
    );
    for (const frame of ['/mail', '/inbox']) {
      const { status, headers } = await member.get(pathOf(id, frame));
      const policy = headers.get('content-security-policy') ?? '';
      expect([status, headers.get('x-frame-options')]).toEqual([200, 'SAMEORIGIN']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("form-action 'none'");
      expect(policy).toContain("frame-ancestors 'self'");
      expect(policy).toMatch(/sandbox(?!.*allow-scripts)/);
      expect(policy).not.toMatch(/script-src|https?:|\*/);
      expect((await stranger.get(pathOf(id, frame))).status).toBe(404);
      const inTheirs = `/dashboard/${other.businessId}/messages/${id}${frame}`;
      expect((await stranger.get(inTheirs)).status).toBe(404);
    }
    const { text } = await member.get(pathOf(id, '?shown=email'));
    expect(text).toMatch(/<iframe[^>]* sandbox=""/);
  });

  test('holds no secret of the customer’s: not the link, not what unsubscribes them', async () => {
    const { id } = await shop.pushed(ON_ALL_CHANNELS);
    const sent = [...(await sentAbout(service, id, 3)).values()]
      .map(({ text, html }) => `${text} ${html}`)
      .join(' ');
    const secrets = [...sent.matchAll(INBOX_LINK), ...sent.matchAll(/\/unsubscribe\/([\w.~-]+)/g)].map(
      ([, one]) => one,
    );
    expect(new Set(secrets).size).toBe(4);
    const paths = ['', '?shown=email', '?shown=sms', '?shown=whatsapp', '?shown=json', '/mail', '/inbox'];
    for (const path of [...paths, '/resend/sms']) {
      const { text } = await member.get(pathOf(id, path));
      for (const secret of secrets) expect(text).not.toContain(secret);
      for (const [, token] of text.matchAll(INBOX_LINK)) expect(token).toBe('x'.repeat(22));
      expect(text).not.toContain(PHONE_NUMBER);
    }
  });
});

test('the JSON is what the API answers, and the id can be copied', async () => {
  const { id } = await shop.pushed(ON_ALL_CHANNELS);
  await sentAbout(service, id, 3);
  await eventually(async () => {
    const { text } = await member.get(pathOf(id, '?shown=json'));
    const json = (/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(text)?.[1] ?? '')
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#34;', '"')
      .replaceAll('&amp;', '&');
    expect(JSON.parse(json)).toEqual((await shop.get(`/api/v1/messages/${id}`)).body);
    expect(text).toContain(`data-copy><code>${id}</code>`);
    // It follows changes; a frame would only load again.
    expect(text).toContain('hx-select-oob="#outcomes,#sent,#shown"');
  });
  expect((await member.get(pathOf(id))).text).toContain('hx-select-oob="#outcomes,#sent"');
});

test('each delivery names its endpoint and leads to it; a viewer does not read the path of its URL', async () => {
  const url = 'http://127.0.0.1:9/hooks/secret';
  const endpoint = (await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url } })).body;
  const endpointId = JSON.parse(JSON.stringify(endpoint)).id;
  const { id } = await shop.pushed();
  await eventually(async () => {
    const { text } = await member.get(pathOf(id));
    expect(text).toContain(`/webhooks/${endpointId}" title="${url}">${url}</a>`);
    expect(text).toMatch(new RegExp(`/webhooks/${endpointId}/deliveries/[a-z0-9]+"><span class="badge`));
  });
  const viewer = await signedIn(
    service,
    (await joinShop(service, shop.businessId, 'viewer@shop.example', 'viewer')).id,
  );
  const seen = (await viewer.get(pathOf(id))).text;
  expect(seen).toContain('http://127.0.0.1:9/…</a>');
  expect(seen).not.toContain('/hooks/secret');
  await shop.delete(`/api/v1/webhook-endpoints/${endpointId}`);
  expect((await member.get(pathOf(id))).text).toContain(`>Deleted: ${url}</span>`);
});

browserTest(
  'by keyboard from tab to tab; what is copied is the id and the JSON, also after it changed',
  async () => {
    const { id } = await shop.pushed();
    const browser = await openBrowser();
    const profile = await browser.newProfile({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await profile.newPage();
    const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
    await signInProfile(profile, service, memberId);
    await page.goto(service.url + pathOf(id));
    await page.locator('.copied').getByRole('button', { name: 'Copy' }).click();
    expect(await copied()).toBe(id);
    const tabs = page.getByRole('navigation', { name: 'What is shown' });
    await tabs.getByRole('link', { name: 'SMS' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(`GET /api/v1/messages/${id}`).waitFor();
    await shop.post(`/api/v1/messages/${id}/retract`);
    await page.locator('#shown code', { hasText: '"retracted"' }).waitFor();
    await page.locator('#shown').getByRole('button', { name: 'Copy' }).click();
    expect(JSON.parse(await copied())).toMatchObject({ id, status: 'retracted' });
    await browser.close();
  },
);

function fail(message: string): never {
  throw new Error(message);
}
