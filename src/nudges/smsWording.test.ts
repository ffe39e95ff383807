import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { SEGMENT_SEPTETS, septets } from '../kit/gsm7.ts';
import { displayableReference } from './displayable.ts';
import type { OrderNudge } from './orderStatus.ts';
import { SMS_LINK_LENGTH_MAX, smsText } from './smsWording.ts';

const link = 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A';
const nudge = (changes: Partial<OrderNudge> = {}): OrderNudge => ({
  businessName: 'Acme',
  reference: '#1001',
  orderStatus: 'shipped',
  link,
  ...changes,
});
const linkOf = (length: number): string => 'https://waypost.example/i/'.padEnd(length, 'x');

describe('a text says who, which order, what happened, how to stop, and where to read it', () => {
  test.each([
    [{}, 'Acme: your order #1001 has shipped.'],
    [{ orderStatus: 'ready_for_pickup' }, 'Acme: your order #1001 is ready for pickup.'],
    [{ orderStatus: null }, 'Acme: there is an update on your order #1001.'],
    [{ orderStatus: 'returned' }, 'Acme: there is an update on your order #1001.'],
    [{ reference: null }, 'Acme: your order has shipped.'],
    [{ reference: 'shop.com' }, 'Acme: your order has shipped.'],
    [{ businessName: 'Amazon.com' }, 'Your order #1001 has shipped.'],
    [{ businessName: '寿司屋' }, 'Your order #1001 has shipped.'],
    [{ businessName: '寿司屋!' }, 'Your order #1001 has shipped.'],
    [{ businessName: '1寿.2.3.4' }, 'Your order #1001 has shipped.'],
    [{ businessName: '寿司屋 Sushi!' }, 'Sushi!: your order #1001 has shipped.'],
    [{ businessName: 'Кафе Щука' }, 'Kafe Shchuka: your order #1001 has shipped.'],
    [{ businessName: 'Café Šokolaad' }, 'Café Sokolaad: your order #1001 has shipped.'],
    [{ businessName: '', reference: null, orderStatus: null }, 'There is an update on your order.'],
  ])('%j', (changes, sentence) => {
    expect(smsText(nudge(changes))).toBe(`${sentence} Reply STOP to opt out. Details: ${link}`);
  });
});

describe('where room is short, the text gives up the least important first', () => {
  const businessName = 'The Wonderful Bakery of Upper Lower Town';
  const reference = 'ORDER-2024-ABCDEFGHIJKLMNOP-0001';
  test.each([
    [
      30,
      'The Wonderful Bakery of Upper Lower Town: your order ORDER-2024-ABCDEFGHIJKLMNOP-0001 has shipped. STOP to opt out. Details:',
    ],
    [
      48,
      'The Wonderful Bakery of: your order ORDER-2024-ABCDEFGHIJKLMNOP-0001 has shipped. STOP to opt out. Details:',
    ],
    [75, 'The Wonderful Bakery of Upper: your order has shipped. STOP to opt out. Details:'],
    [100, 'The Wonderful Bakery of Upper: your order has shipped.'],
    [SMS_LINK_LENGTH_MAX, 'The Wonderful Bakery of: your order has shipped.'],
    [128, 'Your order has shipped.'],
    [140, 'Order update:'],
  ])('a link of %i characters', (length, beside) => {
    expect(smsText(nudge({ businessName, reference, link: linkOf(length) }))).toBe(
      `${beside} ${linkOf(length)}`,
    );
  });

  test.each([
    ['Harbour Fish & Chips Kalamaja', 110, 'Harbour Fish & Chips'],
    ['Harbour Fish & Chips Kalamaja', 114, 'Harbour Fish & Chips'],
    ['Harbour Fish & Chips Kalamaja', 115, 'Harbour Fish'],
    ['Schifffahrtsgesellschaft', 115, 'Schifffahrtsgesells'],
  ])('%s beside a link of %i characters is %s', (businessName, length, name) => {
    const beside = `${name}: your order has shipped.`;
    expect(smsText(nudge({ businessName, link: linkOf(length) }))).toBe(`${beside} ${linkOf(length)}`);
  });

  test.each([...ORDER_STATUSES, null])(
    'the longest usual link leaves room for a name and for %s',
    (orderStatus) => {
      const text = smsText(
        nudge({ businessName, reference, orderStatus, link: linkOf(SMS_LINK_LENGTH_MAX) }),
      );
      expect(text).toMatch(/^The Wonderfu.*: (?:your order|there is an update)/);
    },
  );

  test('a link that takes the whole text is sent alone', () => {
    expect(smsText(nudge({ link: linkOf(SEGMENT_SEPTETS) }))).toBe(linkOf(SEGMENT_SEPTETS));
  });

  test('a link that fits no text is the operator’s to mend', () => {
    expect(() => smsText(nudge({ link: linkOf(SEGMENT_SEPTETS + 1) }))).toThrow('PUBLIC_URL');
  });
});

const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...". aZ09éЖЩщ漢٣Σ&'-,!()\u0301ŀ"), maxLength: 40 }),
  fc.constantFrom('shop.com', '1.2.3.4', 'shop.漢com', 'shop\u2024com', 'a.٣.com', 'https://evil.example'),
);
const anyReference = fc.option(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'aZ09#-_./'), maxLength: 64 }),
  ),
);
const anyNudge: fc.Arbitrary<OrderNudge> = fc.record({
  businessName: anyName,
  reference: anyReference,
  orderStatus: fc.option(fc.oneof(fc.constantFrom(...ORDER_STATUSES), fc.string())),
  link: fc.integer({ min: 30, max: SMS_LINK_LENGTH_MAX }).map(linkOf),
});

test('whatever the name, reference and status, a text is one GSM-7 segment that ends in the whole link', () => {
  fc.assert(
    fc.property(anyNudge, (any) => {
      const text = smsText(any);
      const length = septets(text);
      expect(length).not.toBeNull();
      expect(length).toBeLessThanOrEqual(SEGMENT_SEPTETS);
      expect(text.endsWith(` ${any.link}`)).toBe(true);
      expect(text.split(any.link)).toHaveLength(2);
      expect(text).toMatch(/your order/i);
    }),
    { numRuns: 3_000 },
  );
});

test('the inbox link is the only thing in a text that a phone could turn into a link', () => {
  fc.assert(
    fc.property(anyNudge, (any) => {
      const words = smsText(any).replace(any.link, '');
      expect(words).not.toMatch(/\.\p{L}/u);
      expect(words).not.toMatch(/\d\.\d+\.\d+\.\d/);
      expect(words).not.toMatch(/:\/\/|@|www\./i);
      const shown = displayableReference(any.reference);
      if (any.reference !== null && any.reference.length > 8 && shown === null) {
        expect(words).not.toContain(any.reference);
      }
    }),
    { numRuns: 3_000 },
  );
});
