import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, deedOf, placeOf, START } from './sandboxPlace.ts';
import { openSite } from './shell.tsx';

const site = openSite({ publicUrl: 'https://waypost.example/base', sandbox: true });

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
        expect(placeOf(addressOf(site, '/sandbox', place))).toEqual(place);
      },
    ),
  );
});

test('whatever stands in an address, there is a place', () => {
  expect(placeOf('/sandbox')).toEqual(START);
  expect(placeOf('/sandbox?channel=fax&open=&to=%00%20')).toEqual(START);
  expect(placeOf(`/sandbox?to=${'x'.repeat(5_000)}`).to).toHaveLength(200);
});

test('addresses lie below the public one', () => {
  expect(addressOf(site, '/sandbox', START)).toBe('/base/sandbox');
  expect(addressOf(site, '/sandbox', { ...START, open: 'a' }, { did: 'texted' })).toBe(
    '/base/sandbox?open=a&did=texted',
  );
});

test('the page says only sentences of its own', () => {
  expect(deedOf('/sandbox?did=texted')).toBe('texted');
  expect(deedOf('/sandbox?did=toString')).toBeNull();
  expect(deedOf('/sandbox?did=<script>')).toBeNull();
});
