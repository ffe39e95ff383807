import { expect, expectTypeOf, test } from 'vitest';
import { toEvent, toEventPage, type WaypostEvent } from './events.ts';
import type { MessageEventData, OrderEventData, PaidEventData } from './generated/api.ts';

const envelope = { id: 'e1', occurred_at: '2026-08-20T09:15:00.000Z' };

test('an event of a known type passes as it is', () => {
  const known = { ...envelope, type: 'ping', data: { endpoint_id: 'x' } };
  expect(toEvent(known)).toBe(known);
});

test.each([{ balloon: 1 }, null])('an event of a newer type passes as an unknown one: %s', (data) => {
  expect(toEvent({ ...envelope, type: 'parcel.flew', data })).toEqual({
    ...envelope,
    type: 'unknown',
    unknown_type: 'parcel.flew',
    data: { ...data },
  });
});

test('the type narrows the data', () => {
  const read = (event: WaypostEvent): string => {
    switch (event.type) {
      case 'message.opened':
        expectTypeOf(event.data).toEqualTypeOf<MessageEventData>();
        return event.data.message_id;
      case 'sms.failed':
        expectTypeOf(event.data).toEqualTypeOf<PaidEventData>();
        return String(event.data.error_code);
      case 'order.updated':
        expectTypeOf(event.data).toEqualTypeOf<OrderEventData>();
        return String(event.data.status);
      case 'unknown':
        expectTypeOf(event.data).toEqualTypeOf<Record<string, unknown>>();
        return event.unknown_type;
      default:
        return event.id;
    }
  };
  expect(read(toEvent({ ...envelope, type: 'new.one', data: {} }))).toBe('new.one');
});

test('so do the events of a page, whose newer types pass as unknown', () => {
  const items = [
    { ...envelope, type: 'ping', data: { endpoint_id: 'x' } },
    { ...envelope, type: 'parcel.flew', data: {} },
  ];
  const page = toEventPage({ items, next: 'c1', has_more: false });
  expect([page.next, page.has_more, page.items.map(({ type }) => type)]).toEqual([
    'c1',
    false,
    ['ping', 'unknown'],
  ]);
  for (const event of page.items)
    if (event.type === 'ping') expectTypeOf(event.data.endpoint_id).toEqualTypeOf<string>();
});
