import { expect, expectTypeOf, test } from 'vitest';
import { EVENTS, type EventContent, type EventType, eventBody, eventTypes } from './eventTypes.ts';
import type { ValueOf } from './schema.ts';

/** What we write for a type. */
type Written<Type extends EventType> = Extract<EventContent, { type: Type }>['data'];
/** What its schema allows. */
type Described<Type extends EventType> = ValueOf<(typeof EVENTS)[Type]['data']>;

/** The types whose data, as written, does not fit the schema. */
type Unfitting = {
  [Type in EventType]: Written<Extract<EventType, Type>> extends Described<Type> ? never : Type;
}[EventType];

test('what we write for each type fits its schema', () => {
  expectTypeOf<Unfitting>().toEqualTypeOf<never>();
});

test('every type is described once, with its name and its data', () => {
  expect(Object.keys(EVENTS)).toEqual([...eventTypes]);
  for (const type of eventTypes) {
    const { type: named, data } = eventBody(type).properties;
    expect({ named, data }).toEqual({ named: { type: 'string', enum: [type] }, data: EVENTS[type].data });
    expect(eventBody(type).required).toEqual(['id', 'type', 'occurred_at', 'data']);
    expect(EVENTS[type].meaning).toMatch(/\.$/);
  }
});
