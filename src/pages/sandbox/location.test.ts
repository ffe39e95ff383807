import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSite } from '../kit/page.tsx';
import { addressInSandbox, sandboxLocationOf } from './location.ts';

const site = openSite({ publicUrl: 'https://waypost.example/base', sandbox: true });

const DEFAULT_LOCATION = { open: null, channel: null, to: '', before: null };

const text = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).map((part) => part.trim());

test('a place of the page survives being written into an address', () => {
  fc.assert(
    fc.property(
      fc.record({
        open: fc.option(text.filter((part) => part !== '')),
        channel: fc.constantFrom('email', 'sms', 'whatsapp', null),
        to: text,
        before: fc.option(text.filter((part) => part !== '')),
      }),
      (place) => {
        expect(sandboxLocationOf(addressInSandbox(site, '/sandbox', place))).toEqual(place);
      },
    ),
  );
});

test('whatever stands in an address, there is a place', () => {
  expect(sandboxLocationOf('/sandbox')).toEqual(DEFAULT_LOCATION);
  expect(sandboxLocationOf('/sandbox?channel=fax&open=&to=%00%20')).toEqual(DEFAULT_LOCATION);
  expect(sandboxLocationOf(`/sandbox?to=${'x'.repeat(5_000)}`).to).toHaveLength(200);
});

test('addresses lie below the public one', () => {
  expect(addressInSandbox(site, '/sandbox', DEFAULT_LOCATION)).toBe('/base/sandbox');
  expect(addressInSandbox(site, '/sandbox', { ...DEFAULT_LOCATION, open: 'a' }, { flash: 'texted' })).toBe(
    '/base/sandbox?open=a&flash=texted',
  );
});
