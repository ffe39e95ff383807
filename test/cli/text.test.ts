import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
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

describe('text', () => {
  test('shows ours, sets the shop’s own, lists it, and returns to ours', async () => {
    const ours = await cli.json('text', 'show', shop, 'shipped', 'et');
    expect(ours).toMatchObject({ order_status: 'shipped', language: 'et', is_default: true });
    expect(await cli.text('text', 'show', shop)).toContain('Every text is Waypost’s.');

    const own = { subject: 'Teel {{ order.number }}', body: 'Tere!\n\n{{ shop.name }}' };
    const set = ['text', 'set', shop, 'shipped', 'et', '--subject', own.subject, '--body', own.body];
    const view = { order_status: 'shipped', language: 'et', ...own, is_default: false };
    expect(await cli.json(...set)).toEqual(view);
    expect(await cli.text('text', 'show', shop, 'shipped', 'et')).toContain('Tere!\n\n{{ shop.name }}');
    expect(await cli.text('text', 'show', shop)).toMatch(/shipped +et +Teel \{\{ order\.number \}\}/);
    const { items } = await cli.json('text', 'show', shop);
    expect(items).toHaveLength(160);
    expect(items).toContainEqual(view);

    expect(await cli.json('text', 'reset', shop, 'shipped', 'et')).toEqual(ours);
    expect(await cli.json('text', 'show', shop, 'shipped', 'et')).toEqual(ours);
    const { rows } = await database.pool.query(
      `select actor, action, detail from audit_entries where business_id = $1 and action like 'text.%' order by id`,
      [shop],
    );
    const detail = { order_status: 'shipped', language: 'et' };
    expect(rows).toEqual([
      { actor: 'operator', action: 'text.changed', detail },
      { actor: 'operator', action: 'text.reset', detail },
    ]);
  });

  const SET = ['set', 'SHOP', 'shipped', 'en'];
  test.each<[string, string[], RegExp]>([
    ['an unknown business', ['show', 'nobody', 'shipped', 'en'], /^No business has the id/],
    ['a status without a language', ['show', 'SHOP', 'shipped'], /^text show needs LANGUAGE/],
    ['an unknown status', ['reset', 'SHOP', 'lost', 'en'], /^STATUS must be one of/],
    ['an unknown language', ['reset', 'SHOP', 'shipped', 'xx'], /^LANGUAGE must be one of/],
    ['no body', [...SET, '--subject', 'x'], /^text set needs --body/],
    ['a blank subject', [...SET, '--subject', ' ', '--body', 'x'], /^--subject must be Liquid of 1 to 1000/],
    [
      'an unknown variable',
      [...SET, '--subject', 'x', '--body', 'a\n{{ nope }}'],
      /^--body cannot be used: line 2: unknown variable nope\.$/,
    ],
  ])('refuses %s', async (_, words, sentence) => {
    const argv = words.map((word) => (word === 'SHOP' ? shop : word));
    expect(await cli.mistake('text', ...argv)).toMatch(sentence);
  });
});
