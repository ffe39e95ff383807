import { describe, expect, test } from 'vitest';
import { parcelFrom, parcelsFrom } from './parcel.ts';

const parcel = (trackingNumber: string, carrier: string | null, trackingUrl: string | null) => ({
  trackingNumber,
  carrier,
  trackingUrl,
});

describe('a parcel that a store names', () => {
  test.each([
    [
      'is trimmed',
      ' 1Z 99-a ',
      ' Post ',
      ' https://t.example/1 ',
      parcel('1Z 99-a', 'Post', 'https://t.example/1'),
    ],
    ['needs neither carrier nor link', '1', null, null, parcel('1', null, null)],
    ['has no carrier of white space', '1', ' \n', '', parcel('1', null, null)],
    [
      'has its carrier on one line',
      '1',
      'Two\nlines\u200b here\u0000',
      null,
      parcel('1', 'Two lines here', null),
    ],
    [
      'has a carrier of at most 60 characters',
      '1',
      '😀'.repeat(61),
      null,
      parcel('1', '😀'.repeat(60), null),
    ],
    [
      'keeps its number without a link that is not https',
      '1',
      null,
      'http://t.example/1',
      parcel('1', null, null),
    ],
    [
      'keeps its number without a link with a password',
      '1',
      null,
      'https://a:b@t.example',
      parcel('1', null, null),
    ],
    [
      'keeps its number without a link with a lone surrogate',
      '1',
      null,
      'https://t.example/\ud800',
      parcel('1', null, null),
    ],
    [
      'keeps its number without a script as a link',
      '1',
      null,
      'javascript:alert(1)',
      parcel('1', null, null),
    ],
    ['is none without a number', null, 'Post', 'https://t.example/1', null],
    ['is none with an empty number', '  ', 'Post', null, null],
    ['is none with a number of hyphens', '- -', null, null, null],
    ['is none with a number of other characters', 'AB_1', null, null, null],
    ['is none with a number of 65 characters', '1'.repeat(65), null, null, null],
  ])('%s', (_, number, carrier, url, expected) => {
    expect(parcelFrom({ number, carrier, url })).toEqual(expected);
  });

  test('is there once however often its number is named, and the log says what was left out', () => {
    const named = [
      { number: '1', carrier: 'Post', url: 'ftp://t.example' },
      { number: '1', carrier: 'Mail', url: null },
      { number: '<b>', carrier: null, url: null },
      { number: '', carrier: null, url: '' },
      { number: '2', carrier: null, url: null },
    ];
    expect(parcelsFrom(named)).toEqual({
      parcels: [parcel('1', 'Post', null), parcel('2', null, null)],
      leftOut: ['bad_tracking_number', 'bad_tracking_url'],
    });
    expect(parcelsFrom([])).toEqual({ parcels: [], leftOut: [] });
  });
});
