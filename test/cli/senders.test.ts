import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { metaEnv } from '../support/providerEnvironments.ts';
import { openConsole, type TestConsole } from './console.ts';

let database: TestDatabase;
let cli: TestConsole;
let shop: string;
beforeAll(async () => {
  database = await testDatabase();
  cli = openConsole(database.url);
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = (await cli.business()).id;
});

describe('sender', () => {
  test('gives a business senders of its own, replaces them, lists them and takes them back', async () => {
    expect(await cli.text('sender', 'list', shop)).toContain('shared senders');
    expect(await cli.json('sender', 'set', shop, 'email', ' Orders@Acme.example ')).toEqual({
      business_id: shop,
      channel: 'email',
      address: 'orders@acme.example',
    });
    await cli.json('sender', 'set', shop, 'sms', '+37255550134');
    await cli.json('sender', 'set', shop, 'sms', 'Acme Books');
    await cli.json('sender', 'set', shop, 'whatsapp', '+37255550135');
    expect(await cli.json('sender', 'list', shop)).toEqual({
      items: [
        { channel: 'email', address: 'orders@acme.example' },
        { channel: 'sms', address: 'Acme Books' },
        { channel: 'whatsapp', address: '+37255550135' },
      ],
    });
    expect(await cli.json('sender', 'remove', shop, 'sms')).toEqual({
      business_id: shop,
      channel: 'sms',
      address: 'Acme Books',
      removed: true,
    });
    expect(await cli.text('sender', 'list', shop)).not.toContain('sms');
  });

  test('each change is written down', async () => {
    await cli.json('sender', 'set', shop, 'sms', '+37255550134');
    await cli.json('sender', 'remove', shop, 'sms');
    const { rows } = await database.pool.query(
      "select actor, action, detail from audit_entries where business_id = $1 and action like 'sender%' order by id",
      [shop],
    );
    const detail = { channel: 'sms', address: '+37255550134' };
    expect(rows).toEqual([
      { actor: 'operator', action: 'sender.set', detail },
      { actor: 'operator', action: 'sender.removed', detail },
    ]);
  });

  test.each<[string, string[], RegExp]>([
    ['an unknown business', ['set', 'nobody', 'sms', '+37255550134'], /^No business has the id/],
    ['an unknown channel', ['set', 'SHOP', 'fax', '+37255550134'], /^CHANNEL must be one of/],
    ['no address', ['set', 'SHOP', 'email', 'Acme'], /^ADDRESS must be an email address, but is "Acme"/],
    ['a name with an address', ['set', 'SHOP', 'email', 'Acme <a@b.example>'], /^ADDRESS must be an email/],
    ['a number without its country', ['set', 'SHOP', 'sms', '055550134567'], /^ADDRESS must be a number/],
    ['a name that is too long', ['set', 'SHOP', 'sms', 'Acme Bookshop'], /^ADDRESS must be a number/],
    [
      'an id where numbers are senders',
      ['set', 'SHOP', 'whatsapp', '1065403522429'],
      /^ADDRESS must be a number/,
    ],
    ['what is not there', ['remove', 'SHOP', 'sms'], /^The business has no sender of its own on sms\.$/],
  ])('%s is a mistake', async (_what, words, sentence) => {
    const asked = words.map((word) => (word === 'SHOP' ? shop : word));
    expect(await cli.mistake('sender', ...asked)).toMatch(sentence);
  });

  test('with Meta a WhatsApp sender is the id of a phone number, never the number', async () => {
    const withMeta = openConsole(database.url, metaEnv('https://graph.example'));
    expect(await withMeta.mistake('sender', 'set', shop, 'whatsapp', '+37255550135')).toMatch(
      /^ADDRESS must be the id of a phone number/,
    );
    await withMeta.json('sender', 'set', shop, 'whatsapp', '106540352242922');
  });
});
