import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECEIVED_AT, rawCall, stored } from '../../../test/support/trackingKinds.ts';
import { aftership } from './aftership.ts';
import { easypost } from './easypost.ts';
import { karrio } from './karrio.ts';
import { shippo } from './shippo.ts';

/** JSON that has the names that the services use, with anything in them. */
const NAMES = [
  ...['event', 'event_id', 'id', 'description', 'test', 'msg', 'result', 'data'],
  ...['tracking_number', 'tracking_code', 'checkpoints', 'tracking_details', 'tracking_history', 'events'],
  ...[
    'tag',
    'subtag',
    'status',
    'substatus',
    'code',
    'checkpoint_time',
    'datetime',
    'status_date',
    'date',
    'time',
  ],
  ...['timestamp', 'message', 'location', 'city', '__proto__', 'constructor'],
];
const WORDS = [
  ...['tracker.updated', 'tracker_updated', 'track_updated', 'AB 1', 'InTransit', 'in_transit', 'TRANSIT'],
  ...['2026-03-05T10:00:00', '2026-02-30', '04:20 PM', '275760-09-13', '+275760-09-13T00:00:00Z', ''],
];
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(...WORDS),
    fc.jsonValue(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 8 }),
  ),
}));

describe.each([aftership, easypost, shippo, karrio])('$title', (kind) => {
  test('reads any JSON without an error, and only to what can be stored and shown', () =>
    fc.assert(
      fc.property(json, (body) => {
        const reading = kind.read(stored(body));
        const description = kind.describe(rawCall({ body: JSON.stringify(body) }));
        expect(description.key.length).toBeLessThanOrEqual(200);
        expect(description.topic).toMatch(/^\P{Cc}{1,60}$/u);
        if (reading.kind !== 'facts') return;
        let before = Number.NEGATIVE_INFINITY;
        for (const { at, description: words } of reading.facts.events) {
          expect(at.getTime()).toBeGreaterThanOrEqual(before);
          expect(at.getTime()).toBeLessThanOrEqual(RECEIVED_AT.getTime() + 86_400_000);
          if (words !== null) expect(words).toMatch(/^\P{Cc}{1,500}$/u);
          before = at.getTime();
        }
      }),
    ));

  test('reads any bytes without an error', () =>
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const body = Buffer.from(bytes);
        kind.describe(rawCall({ body }));
        kind.read({ topic: '', headers: {}, body, receivedAt: RECEIVED_AT });
      }),
    ));
});
