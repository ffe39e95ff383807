import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectWoo, wooWords } from '../connections/wooShop.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { connectionOf } from './connectionRows.ts';
import { csrfIn, joinAsOperator, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';
import { wordsOf } from './messagePages.ts';

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

describe('who pushed a message', () => {
  const pushedBy = async (id: string): Promise<string> =>
    /pushed \S+ \S+ UTC( by .*?)?,? (?:order|Id) /.exec(await read(pathOf(id)))?.[1] ?? '';
  const idOf = async (where: string): Promise<string> => {
    const { rows } = await service.pool.query<{ id: string }>(
      `select id from messages where business_id = $1 and ${where}`,
      [shop.businessId],
    );
    return rows[0]?.id ?? '';
  };

  test('is an API key', async () => {
    const made = (await shop.call('POST', '/api/v1/keys', { body: { name: 'Back office' } })).body;
    const { key, id: keyId } = JSON.parse(JSON.stringify(made));
    const { id } = await shop.with(key).pushed();
    expect(await pushedBy(id)).toBe(' by API key “Back office”');
    expect(await read(pathOf(id))).toMatch(/The message was pushed\. [^·]* UTC · API key “Back office”/);
    // It names the key as long as it is there, also once it is revoked.
    await shop.delete(`/api/v1/keys/${keyId}`);
    expect(await pushedBy(id)).toBe(' by API key “Back office”');
  });

  test('is each item’s key of a batch, and of one that changes more than it adds', async () => {
    await shop.batch([{}, { recipient_phone: PHONE_NUMBER, channels: ['sms'], subject: 'Other' }]);
    for (const subject of ['Other', 'Your order #1001 has shipped'])
      expect(await pushedBy(await idOf(`subject = '${subject}'`))).toBe(' by API key “First key”');
  });

  test('is a member, until they leave the shop', async () => {
    const form = `/dashboard/${shop.businessId}/push`;
    const { text } = await member.get(form);
    const [, key = ''] = /name="key" value="([^"]+)"/.exec(text) ?? [];
    const fields = {
      recipient_email: 'mari@example.com',
      subject: 'By hand',
      body: 'Hello',
      channels: 'email',
    };
    await member.post(form, { ...fields, csrf: csrfIn(text), key });
    const id = await idOf(`subject = 'By hand'`);
    expect(await pushedBy(id)).toBe(' by support@shop.example');
    member = await signedIn(service, (await joinAsOperator(service, 'op@example.com')).id);
    await service.pool.query('delete from memberships where member_id = $1', [memberId]);
    expect(await pushedBy(id)).toBe(' by somebody who left the shop');
  });

  test('is a connection, until it is removed', async () => {
    const store = await connectWoo(service, shop);
    const { order } = wooWords(() => service);
    expect(await store.hear(order(), { 'x-wc-webhook-topic': 'order.created' })).toBe('pushed');
    const id = await idOf('true');
    expect(await pushedBy(id)).toBe(' by connection WooCommerce');
    const { connection } = await connectionOf(service, shop.businessId, { name: 'Second shop' });
    const set = (by: string) =>
      service.pool.query('update messages set pushed_by = $2 where id = $1', [id, by]);
    await set(`connection:${connection.id}`);
    expect(await pushedBy(id)).toBe(' by connection WooCommerce “Second shop”');
    await set('connection:gone');
    expect(await pushedBy(id)).toBe(' by a connection that is gone');
    await set('key:gone');
    expect(await pushedBy(id)).toBe(' by an API key that is gone');
  });

  test('is tracking, and of an update who updated', async () => {
    await service.change(shop, { trackingNudges: ['delivered'] });
    await shop.pushed({ reference: '#1', order_status: 'shipped' });
    const body = { tracking_number: 'JD01', status: 'delivered', at: service.clock.now().toISOString() };
    await shop.call('POST', '/api/v1/orders/%231/tracking', { body, idempotencyKey: 'one' });
    expect(await pushedBy(await idOf(`pushed_by = 'tracking'`))).toBe(' by tracking');
    const { id } = await shop.pushed({ kind: 'updateable', subject: 'Kept' });
    const made = (await shop.call('POST', '/api/v1/keys', { body: { name: 'Updater' } })).body;
    await shop.with(JSON.parse(JSON.stringify(made)).key).pushed({ kind: 'updateable', subject: 'Kept' });
    expect(await pushedBy(id)).toBe(' by API key “First key”');
    expect(await read(pathOf(id))).toMatch(/The message was updated\. [^·]* UTC · API key “Updater”/);
  });

  test('is not told of a message from before it was kept', async () => {
    const { id } = await shop.pushed();
    await service.pool.query('update messages set pushed_by = null where id = $1', [id]);
    expect(await pushedBy(id)).toBe('');
    expect(await read(pathOf(id))).not.toContain('API key');
  });
});
