import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../src/contract/orderStatuses.ts';
import type { TextView } from '../../src/contract/texts.ts';
import { LANGUAGES } from '../../src/language/languages.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const PATH = '/api/v1/texts';
const OWN = {
  subject: 'Teel: {{ order.number }}',
  body: 'Tere, {{ customer.first_name | default: "sõber" }}!',
};
const list = async (from = shop): Promise<TextView[]> => {
  const { items }: { items: TextView[] } = expectStatus(200, await from.get(PATH));
  return items;
};
const put = (place: string, body: unknown, from = shop) => from.call('PUT', `${PATH}/${place}`, { body });
const textAt = async (order_status: string, language: string) =>
  (await list()).find((text) => text.order_status === order_status && text.language === language);
const audit = async () => {
  const { rows } = await service.pool.query(
    `select actor, action, detail from audit_entries where business_id = $1 and action like 'text.%' order by id`,
    [shop.businessId],
  );
  return rows;
};

describe('reading texts', () => {
  test('lists ours for all ten statuses in all sixteen languages', async () => {
    const items = await list();
    expect(items.map(({ order_status, language }) => `${order_status} ${language}`)).toEqual(
      ORDER_STATUSES.flatMap((status) => LANGUAGES.map((language) => `${status} ${language}`)),
    );
    expect(items).toHaveLength(160);
    expect(items.every(({ is_default }) => is_default)).toBe(true);
    expect(items[0]).toEqual({
      order_status: 'confirmed',
      language: 'en',
      subject: 'Your order {{ order.number }} is confirmed',
      body: expect.stringMatching(/^Hello.*\n\nThank you for your order \{\{ order\.number \}\}\./),
      is_default: true,
    });
  });

  test('what another shop set is not shown', async () => {
    const other = await service.business();
    expectStatus(200, await put('shipped/et', OWN, other));
    expect((await list()).every(({ is_default }) => is_default)).toBe(true);
  });
});

describe('setting a text', () => {
  test('200 with the item; only it is the shop’s own then', async () => {
    const own = { order_status: 'in_transit', language: 'et', ...OWN, is_default: false };
    expect(expectStatus(200, await put('in_transit/et', OWN))).toEqual(own);
    expect((await list()).filter(({ is_default }) => !is_default)).toEqual([own]);
  });

  test('replaces the one before, and both stand in the audit log', async () => {
    expectStatus(200, await put('shipped/de', OWN));
    expectStatus(200, await put('shipped/de', OWN));
    expectStatus(200, await put('shipped/de', { ...OWN, body: 'Neu' }));
    expect(await textAt('shipped', 'de')).toMatchObject({ body: 'Neu', is_default: false });
    const entry = {
      actor: expect.stringMatching(/^key:/),
      action: 'text.changed',
      detail: { order_status: 'shipped', language: 'de' },
    };
    expect(await audit()).toEqual([entry, entry]);
  });

  test.each([
    ['an unknown status', 'lost/en'],
    ['a tracking status', 'picked_up/en'],
    ['an unknown language', 'shipped/xx'],
    ['a tag of a language', 'shipped/pt-BR'],
    ['a name of every object', 'constructor/__proto__'],
  ])('404: %s', async (_, place) => {
    expect(statusAndCode(await put(place, OWN))).toBe('404 text.not_found');
    expect(statusAndCode(await shop.delete(`${PATH}/${place}`))).toBe('404 text.not_found');
  });

  test.each([
    ['an unknown variable', 'a\n{{ order.colour }}', 'line 2: unknown variable order.colour'],
    ['one in a branch', '{% if order.url %}\n\n{{ secret }}{% endif %}', 'line 3: unknown variable secret'],
    ['an unknown tag', '{% capture x %}{% endcapture %}', 'line 1: unknown tag capture'],
    ['an include', '\n{% include "a" %}', 'line 2: unknown tag include'],
    ['an unknown filter', '\n\n{{ order.number | money }}', 'line 3: unknown filter money'],
    ['a tag that is not closed', 'a\n{% if order.url %}', /^line 2: bad syntax: .*not closed/],
    ['an output that is not closed', '{{ order.number', /^line 1: bad syntax/],
    ['a loop without end', '{% for i in (1..99999999) %}{% endfor %}', /^line 1: makes more/],
    ['a body too long with the longest values', '{{ shipment.tracking_url }}'.repeat(5), /^line 1: .*10240/],
  ])('422: %s, with its line', async (_, body, msg) => {
    expect(validationErrorsOf(await put('shipped/en', { subject: 'x', body }))).toEqual([
      {
        type: 'value_error',
        loc: ['body', 'body'],
        msg: typeof msg === 'string' ? msg : expect.stringMatching(msg),
        input: body,
      },
    ]);
    expect(await textAt('shipped', 'en')).toMatchObject({ is_default: true });
  });

  test('what is wrong with the subject and the body comes together', async () => {
    const faults = validationErrorsOf(
      await put('shipped/en', { subject: '{{ x }}', body: '{{ y }}\n{{ z | upcase }}' }),
    );
    expect(faults.map(({ loc, msg }) => [loc, msg])).toEqual([
      [['body', 'subject'], 'line 1: unknown variable x'],
      [['body', 'body'], 'line 1: unknown variable y'],
      [['body', 'body'], 'line 2: unknown variable z'],
    ]);
  });

  test.each([
    [{ body: 'x' }, 'missing', ['body', 'subject']],
    [{ subject: 'x', body: null }, 'string_type', ['body', 'body']],
    [{ subject: ' \n', body: 'x' }, 'string_too_short', ['body', 'subject']],
    [{ subject: 'x', body: '' }, 'string_too_short', ['body', 'body']],
    [{ subject: 'x'.repeat(1_001), body: 'x' }, 'string_too_long', ['body', 'subject']],
    [{ subject: 'x', body: 'x'.repeat(20_001) }, 'string_too_long', ['body', 'body']],
  ])('422: a source that is none', async (body, type, loc) => {
    expect(validationErrorsOf(await put('shipped/en', body))).toMatchObject([{ type, loc }]);
  });

  test('a source may be longer than what it renders, and a subject is cut only when it is rendered', async () => {
    const comment = (length: number) => `{% comment %}${'x'.repeat(length - 29)}{% endcomment %}x`;
    const longest = { subject: 'x'.repeat(1_000), body: comment(19_999) };
    expect(longest.body.length).toBeGreaterThan(10_000);
    expectStatus(200, await put('shipped/en', longest));
  });
});

describe('returning to ours', () => {
  test('200 with ours, also if none was set; only a return that changes something is in the audit log', async () => {
    const ours = await textAt('delayed', 'fi');
    expect(expectStatus(200, await shop.delete(`${PATH}/delayed/fi`))).toEqual(ours);
    expectStatus(200, await put('delayed/fi', OWN));
    expect(expectStatus(200, await shop.delete(`${PATH}/delayed/fi`))).toEqual(ours);
    expect(await textAt('delayed', 'fi')).toEqual(ours);
    expect((await audit()).map(({ action }) => action)).toEqual(['text.changed', 'text.reset']);
  });
});

test('a key with `read` reads them; only one with `full` changes them', async () => {
  for (const [access, reads] of [
    ['read', '200'],
    ['send', '403 key.not_permitted'],
  ] as const) {
    const { key }: { key: string } = expectStatus(
      201,
      await shop.call('POST', '/api/v1/keys', { body: { access } }),
    );
    const limited = shop.with(key);
    expect(statusAndCode(await limited.get(PATH))).toMatch(new RegExp(`^${reads}`));
    expect(statusAndCode(await put('shipped/en', OWN, limited))).toBe('403 key.not_permitted');
    expect(statusAndCode(await limited.delete(`${PATH}/shipped/en`))).toBe('403 key.not_permitted');
  }
});
