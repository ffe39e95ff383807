import { expect, test } from 'vitest';
import { FoldedChanges } from './foldChanges.ts';
import type { WaitingChange } from './projectorSql.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const CHANGE: WaitingChange = {
  id: '2',
  reference: '1001',
  status: 'delivered',
  status_at: at(5),
  tracking_number: 'JD01',
  at: at(9),
  recounts: false,
  by_event: false,
  email: null,
  person_id: null,
  named_id: null,
  named_by_event: null,
  order: {
    status: 'shipped',
    status_at: at(5).toISOString(),
    change_id: '1',
    updated_at: at(5).toISOString(),
  },
};

const SOURCES = { reference: '1001', is_named: true, message_status: null, message_at: null };

test.each([
  ['a look that finds its word tells its shipment', { event_status: 'delivered', event_at: at(5) }, 'JD01'],
  [
    'one that finds a push stored meanwhile does not',
    { message_status: 'refunded', message_at: at(9) },
    null,
  ],
])('%s', (_, found, trackingNumber) => {
  const folded = new FoldedChanges('shop', [CHANGE]);
  expect(folded.asked()).toEqual(['1001']);
  folded.addSources([{ event_status: null, event_at: null, ...SOURCES, ...found }]);
  expect(folded.events.map(({ data }) => data)).toMatchObject([{ tracking_number: trackingNumber }]);
});
