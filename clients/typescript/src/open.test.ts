import { expect, expectTypeOf, test } from 'vitest';
import type { EventType, ListMessagesQuery, Push, PushResult, SmsOutcome } from './generated/api.ts';
import type { Open } from './open.ts';

test('a word that is newer than the client compiles, and a known one narrows', () => {
  const told = (status: Open<'active' | 'retracted'>): string =>
    status === 'active' ? 'is active' : `is ${status}`;
  expect([told('active'), told('retracted'), told('of a later version')]).toEqual([
    'is active',
    'is retracted',
    'is of a later version',
  ]);
});

test('answers are open, requests closed, and a Date or a list is taken where it is natural', () => {
  expectTypeOf<'of a later version'>().toExtend<PushResult['status']>();
  expectTypeOf<'of a later version'>().toExtend<NonNullable<SmsOutcome['skipped_reason']>>();
  expectTypeOf<'of a later version'>().not.toExtend<NonNullable<Push['kind']>>();
  expectTypeOf<'of a later version'>().not.toExtend<EventType>();
  expectTypeOf<Date>().toExtend<NonNullable<Push['send_at']>>();
  expectTypeOf<Date>().toExtend<NonNullable<ListMessagesQuery['created_after']>>();
  expectTypeOf<PushResult['created_at']>().toEqualTypeOf<string>();
});
