import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { metaEnv, twilioSmsEnv, vonageEnv } from '../support/providerEnvironments.ts';
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

  test('with several providers, gives senders that one of them alone uses', async () => {
    const several = openConsole(database.url, {
      ...twilioSmsEnv('https://twilio.example'),
      ...vonageEnv('https://vonage.example'),
      ...metaEnv('https://graph.example'),
      TWILIO_WHATSAPP_FROM: '+447700900901',
      SMS_PROVIDER: 'twilio,vonage',
      WHATSAPP_PROVIDER: 'meta,twilio',
    });
    const service = `MG${'3'.repeat(32)}`;
    const sms = { business_id: shop, channel: 'sms' };
    await several.json('sender', 'set', shop, 'sms', 'Acme');
    expect(await several.json('sender', 'set', shop, 'sms', service, '--provider', 'twilio')).toEqual({
      ...sms,
      provider: 'twilio',
      address: service,
    });
    await several.json('sender', 'set', shop, 'sms', '+37255550134', '--provider', 'vonage');
    await several.json('sender', 'set', shop, 'sms', '+37255550136', '--provider', 'vonage');
    await several.json('sender', 'set', shop, 'whatsapp', '+37255550135');
    await several.json('sender', 'set', shop, 'whatsapp', '106540352242922', '--provider', 'meta');
    const items = [
      { channel: 'sms', address: 'Acme' },
      { channel: 'sms', provider: 'twilio', address: service },
      { channel: 'sms', provider: 'vonage', address: '+37255550136' },
      { channel: 'whatsapp', address: '+37255550135' },
      { channel: 'whatsapp', provider: 'meta', address: '106540352242922' },
    ];
    expect(await several.json('sender', 'list', shop)).toEqual({ items });
    expect(await several.json('business', 'show', shop)).toMatchObject({ senders: items });
    const [heading, every, , vonage] = (await several.text('sender', 'list', shop)).split('\n');
    expect([heading, every, vonage].map((line) => line?.split(/ {2,}/))).toEqual([
      ['CHANNEL', 'PROVIDER', 'ADDRESS', 'DOMAIN'],
      ['sms', '-', 'Acme', '-'],
      ['sms', 'vonage', '+37255550136', '-'],
    ]);

    // Whatever is configured by now.
    expect(await cli.json('sender', 'remove', shop, 'sms', '--provider', 'vonage')).toEqual({
      ...sms,
      provider: 'vonage',
      address: '+37255550136',
      removed: true,
    });
    await cli.json('sender', 'remove', shop, 'sms');
    expect(await cli.json('sender', 'list', shop)).toEqual({
      items: items.filter(({ address }) => address !== 'Acme' && address !== '+37255550136'),
    });
    const { rows } = await database.pool.query(
      "select detail from audit_entries where business_id = $1 and action = 'sender.removed' order by id limit 1",
      [shop],
    );
    expect(rows).toEqual([{ detail: { channel: 'sms', provider: 'vonage', address: '+37255550136' } }]);

    for (const [words, sentence] of [
      [['set', shop, 'sms', service, '--provider', 'vonage'], /^ADDRESS must be a number such as/],
      [['set', shop, 'whatsapp', '+37255550135', '--provider', 'meta'], /^ADDRESS must be the id of a phone/],
      [['set', shop, 'sms', 'Acme', '--provider', 'http'], /^--provider must be one of twilio, vonage, but/],
      [['set', shop, 'email', 'a@b.example', '--provider', 'ses'], /^--provider is for texts and WhatsApp:/],
      [
        ['remove', shop, 'sms', '--provider', 'vonage'],
        /^The business has no sender of its own on sms with vonage alone\.$/,
      ],
    ] as const)
      expect(await several.mistake('sender', ...words)).toMatch(sentence);
  });

  test('with Meta a WhatsApp sender is the id of a phone number, never the number', async () => {
    const withMeta = openConsole(database.url, metaEnv('https://graph.example'));
    expect(await withMeta.mistake('sender', 'set', shop, 'whatsapp', '+37255550135')).toMatch(
      /^ADDRESS must be the id of a phone number/,
    );
    await withMeta.json('sender', 'set', shop, 'whatsapp', '106540352242922');
  });
});
