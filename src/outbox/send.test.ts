import { expect, test } from 'vitest';
import { newId } from '../kit/ids.ts';
import { keyFromReference, referenceOf } from './send.ts';

test('a report that carries our reference leads back to the send', () => {
  const key = {
    business_id: newId(new Date('2026-08-20T09:00:00Z')),
    id: newId(new Date('2026-08-20T09:00:00Z')),
  };
  expect(keyFromReference(referenceOf(key))).toEqual(key);
  expect(keyFromReference(referenceOf({ ...key, business_id: 'demobusiness' }))?.business_id).toBe(
    'demobusiness',
  );
});

test.each(['', '-', 'a', 'a-b-c', 'A-b', "a-b'; drop table sends", `${'a'.repeat(65)}-b`])(
  'a strange reference leads nowhere: %s',
  (reference) => {
    expect(keyFromReference(reference)).toBeNull();
  },
);
