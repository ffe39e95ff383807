import { expect, test } from 'vitest';
import { earlier, HOUR } from '../../../kit/clock.ts';
import { quietNote } from './words.ts';

const NOW = new Date('2026-08-20T09:15:00Z');
const quietFor = (hours: number | null, kind: Parameters<typeof quietNote>[0]['kind'], status = LIVE) =>
  quietNote({ kind, status, lastReceivedAt: hours === null ? null : earlier(NOW, hours * HOUR) }, NOW);
const LIVE: Parameters<typeof quietNote>[0]['status'] = 'live';

test.each([
  ['Shopify, an hour', quietFor(1, 'shopify'), null],
  ['Shopify, four hours: it stops trying then', quietFor(4, 'shopify'), /^Nothing came for four hours/],
  [
    'Shopify, two days: the webhook may be gone',
    quietFor(48, 'shopify'),
    /^Nothing came for two days.*list\.$/,
  ],
  ['WooCommerce, four hours: as in any night', quietFor(4, 'woocommerce'), null],
  ['WooCommerce, two days: it may be switched off', quietFor(48, 'woocommerce'), /“Active”/],
  ['before the first call', quietFor(null, 'shopify'), null],
  ['a tracking service, which calls only while parcels are on their way', quietFor(480, 'shippo'), null],
  ['one that is off', quietFor(48, 'shopify', 'off'), null],
])('a long silence says where to look: %s', (_name, note, words) => {
  if (words === null) expect(note).toBeNull();
  else expect(note?.text).toMatch(words);
});
