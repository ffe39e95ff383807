import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lockedSend } from '../../test/support/lockedSend.ts';
import { channels } from '../contract/channels.ts';
import { eventsForSend } from '../outbox/eventsForSend.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { mayFollow, OUTCOME_UNKNOWN, sendStates } from '../outbox/states.ts';
import { type ReportFacts, reportStatuses } from '../providers/callbackContent.ts';
import { afterReport } from './afterReport.ts';

const now = new Date('2026-08-20T09:05:00.000Z');
const fact = (status: ReportFacts['status'], more: Partial<ReportFacts> = {}): ReportFacts => ({
  status,
  errorCode: null,
  ...more,
});

const anyReport = fc.record({
  status: fc.constantFrom(...reportStatuses),
  errorCode: fc.constantFrom(null, 'code'),
  notOnWhatsapp: fc.boolean(),
});
const anySend = fc
  .tuple(fc.constantFrom(...channels), fc.constantFrom(...sendStates), fc.boolean())
  .map(([channel, state, unknown]) =>
    lockedSend({ channel, state, reason: state === 'failed' && unknown ? OUTCOME_UNKNOWN : null }),
  );

describe('reports in any order', () => {
  test('never lead where the table of states does not', () => {
    fc.assert(
      fc.property(anySend, fc.array(anyReport, { maxLength: 8 }), (send, reports) => {
        let before: LockedSend = send;
        for (const report of reports) {
          const after = afterReport(before, report, now);
          if (after.state !== before.state)
            expect(mayFollow(send.channel, before.state, after.state)).toBe(true);
          before = after;
        }
      }),
    );
  });

  test('are told of once each, however often they come', () => {
    fc.assert(
      fc.property(anySend, fc.array(anyReport, { maxLength: 8 }), (send, reports) => {
        const told: string[] = [];
        let before: LockedSend = send;
        for (const report of [...reports, ...reports]) {
          const after = afterReport(before, report, now);
          told.push(...eventsForSend(before, after).map(({ type }) => type));
          before = after;
        }
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });

  test('change nothing the second time', () => {
    fc.assert(
      fc.property(anySend, anyReport, (send, report) => {
        const once = afterReport(send, report, now);
        expect(afterReport(once, report, now)).toBe(once);
      }),
    );
  });

  test('about what never reached a provider change nothing', () => {
    const states = ['held', 'queued', 'skipped', 'cancelled', 'rejected'] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...channels),
        fc.constantFrom(...states),
        anyReport,
        (channel, state, report) => {
          const send = lockedSend({ channel, state });
          expect(afterReport(send, report, now)).toBe(send);
        },
      ),
    );
  });

  test('keep the credit of what failed and give back that of what was rejected', () => {
    fc.assert(
      fc.property(anySend, anyReport, (send, report) => {
        const after = afterReport(send, report, now);
        if (after.state !== send.state)
          expect(after.charged).toBe(after.state === 'rejected' ? false : send.charged);
      }),
    );
  });
});

describe('what each report does', () => {
  const cases: [string, Partial<LockedSend>, ReportFacts, Partial<LockedSend>][] = [
    ['a delivery', { state: 'accepted' }, fact('delivered'), { state: 'delivered', delivered_at: now }],
    [
      'a delivery before the answer is stored',
      { state: 'submitting' },
      fact('delivered'),
      { state: 'delivered' },
    ],
    [
      'a delivery after an unknown outcome',
      { state: 'failed', reason: OUTCOME_UNKNOWN },
      fact('delivered'),
      { state: 'delivered', reason: null },
    ],
    [
      'a bounce',
      { state: 'accepted' },
      fact('bounced'),
      { state: 'failed', reason: 'bounced', bounced_at: now },
    ],
    [
      'a bounce after a delivery',
      { state: 'delivered', delivered_at: now },
      fact('bounced'),
      { state: 'failed', bounced_at: now, delivered_at: now },
    ],
    [
      'a complaint implies an arrival',
      { state: 'accepted' },
      fact('complained'),
      { state: 'delivered', complained_at: now, delivered_at: now },
    ],
    ['a failure', { state: 'accepted' }, fact('failed'), { state: 'failed', reason: 'esp_refused' }],
    [
      'a WhatsApp read without a delivery',
      { channel: 'whatsapp', state: 'accepted' },
      fact('read'),
      { state: 'read', delivered_at: now },
    ],
    [
      'a text that is read has arrived',
      { channel: 'sms', state: 'accepted' },
      fact('read'),
      { state: 'delivered' },
    ],
    [
      'a failed text',
      { channel: 'sms', state: 'accepted' },
      fact('failed', { errorCode: '30003' }),
      { state: 'failed', error_code: '30003', charged: true },
    ],
    [
      'a rejected text',
      { channel: 'sms', state: 'accepted' },
      fact('rejected'),
      { state: 'rejected', charged: false },
    ],
    [
      'not on WhatsApp',
      { channel: 'whatsapp', state: 'accepted' },
      fact('failed', { notOnWhatsapp: true }),
      { state: 'rejected', reason: 'not_reachable', charged: false },
    ],
    [
      'a failure after an unknown outcome',
      { channel: 'whatsapp', state: 'failed', reason: OUTCOME_UNKNOWN },
      fact('failed'),
      { state: 'failed', reason: 'undelivered', charged: true },
    ],
  ];
  test.each(cases)('%s', (_, given, report, expected) => {
    expect(afterReport(lockedSend(given), report, now)).toMatchObject(expected);
  });

  test.each([
    ['a delivery after a bounce', { state: 'failed', reason: 'bounced', bounced_at: now }, 'delivered'],
    [
      'a delivery after a text was reported failed',
      { channel: 'sms', state: 'failed', reason: 'undelivered' },
      'delivered',
    ],
    ['a delivery after it was read', { channel: 'whatsapp', state: 'read', delivered_at: now }, 'delivered'],
    [
      'a failure after a text was delivered',
      { channel: 'sms', state: 'delivered', delivered_at: now },
      'failed',
    ],
    ['a failure after an email was delivered', { state: 'delivered', delivered_at: now }, 'failed'],
  ] as const)('%s is not news', (_, given, status) => {
    const send = lockedSend(given);
    expect(afterReport(send, fact(status), now)).toBe(send);
  });
});
