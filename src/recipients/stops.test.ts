import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STOP_MAKERS, type StopMaker } from './recipient.ts';
import { afterStart, afterStop, type SmsConsent, weakerThan } from './stops.ts';

const consents: SmsConsent[] = [
  { sms_status: 'none', sms_stopped_by: null },
  { sms_status: 'active', sms_stopped_by: null },
  { sms_status: 'stopped', sms_stopped_by: 'text' },
  { sms_status: 'stopped', sms_stopped_by: 'inbox' },
  { sms_status: 'stopped', sms_stopped_by: 'dashboard' },
];

describe('a person who texts', () => {
  test.each(consents)('STOP is stopped, from $sms_status ($sms_stopped_by)', (consent) => {
    expect(afterStop(consent, 'text').sms_status).toBe('stopped');
  });

  test.each(consents)('START lifts only a texted stop: $sms_status ($sms_stopped_by)', (consent) => {
    const after = afterStart(consent, 'text', true);
    if (consent.sms_stopped_by === 'text')
      expect(after).toEqual({ sms_status: 'active', sms_stopped_by: null });
    else expect(after).toBe(consent);
  });

  test('STOP does not weaken a stop made in the inbox or the dashboard: START does not lift it afterwards', () => {
    for (const stoppedBy of ['inbox', 'dashboard'] as const) {
      const stopped = afterStop({ sms_status: 'stopped', sms_stopped_by: stoppedBy }, 'text');
      expect(afterStart(stopped, 'text', true).sms_status).toBe('stopped');
    }
  });
});

describe('the precedence text < inbox < dashboard', () => {
  test.each<[StopMaker, StopMaker[]]>([
    ['text', []],
    ['inbox', ['text']],
    ['dashboard', ['text', 'inbox']],
  ])('a stop by %s replaces stops by %j', (maker, weaker) => {
    expect(weakerThan(maker)).toEqual(weaker);
  });

  test('after any sequence of stops and starts, the firmest stop that nobody lifted holds', () => {
    const step = fc.record({ act: fc.constantFrom('stop', 'start'), maker: fc.constantFrom(...STOP_MAKERS) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let consent: SmsConsent = { sms_status: 'active', sms_stopped_by: null };
        let firmest: StopMaker | null = null;
        for (const { act, maker } of steps) {
          if (act === 'stop') {
            consent = afterStop(consent, maker);
            if (firmest === null || STOP_MAKERS.indexOf(maker) > STOP_MAKERS.indexOf(firmest))
              firmest = maker;
          } else {
            consent = afterStart(consent, maker, true);
            if (firmest === maker) firmest = null;
          }
          expect(consent).toEqual({
            sms_status: firmest === null ? 'active' : 'stopped',
            sms_stopped_by: firmest,
          });
        }
      }),
    );
  });

  test('a stop that is lifted from someone without a number leaves no consent', () => {
    expect(afterStart({ sms_status: 'stopped', sms_stopped_by: 'inbox' }, 'inbox', false)).toEqual({
      sms_status: 'none',
      sms_stopped_by: null,
    });
  });
});
