import { expect, test } from 'vitest';
import { EVENTS, eventTypes } from '../../contract/eventTypes.ts';
import { sampleOf } from './webhooks.tsx';

test.each(eventTypes)('the example of %s has the fields that the event has', (type) => {
  const { properties, required } = EVENTS[type].data;
  const fields = Object.keys(sampleOf(type));
  expect(fields).toEqual(expect.arrayContaining([...(required ?? [])]));
  expect(fields.filter((field) => !Object.hasOwn(properties, field))).toEqual([]);
});
