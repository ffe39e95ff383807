import { expect, expectTypeOf, test } from 'vitest';
import { type EVENT_DATA, type EventContent, type EventType, eventTypes } from './eventTypes.ts';
import type { ValueOf } from './schema.ts';
import { webhookEvents } from './webhookEvents.ts';

/** What we write for a type. */
type Written<Type extends EventType> = Extract<EventContent, { type: Type }>['data'];
/** What its schema allows. */
type Described<Type extends EventType> = ValueOf<(typeof EVENT_DATA)[Type]>;

/** The types whose data, as written, does not fit the schema. */
type Unfitting = {
  [Type in EventType]: Written<Extract<EventType, Type>> extends Described<Type> ? never : Type;
}[EventType];

test('what we write for each type fits its schema', () => {
  expectTypeOf<Unfitting>().toEqualTypeOf<never>();
});

test('every type is described once, with its name and its data', () => {
  expect(webhookEvents.map(({ type }) => type)).toEqual([...eventTypes]);
  for (const { body, meaning } of webhookEvents) {
    expect(body.required).toEqual(['id', 'type', 'occurred_at', 'data']);
    expect(meaning).toMatch(/\.$/);
  }
});
