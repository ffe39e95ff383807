import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STOP_MAKERS, type StopMaker } from './recipient.ts';
import { afterStart, afterStop, type SmsConsent, weakerThan } from './stops.ts';

const consents: SmsConsent[] = [
  { status: 'none', stoppedBy: null },
  { status: 'active', stoppedBy: null },
  { status: 'stopped', stoppedBy: 'text' },
  { status: 'stopped', stoppedBy: 'inbox' },
  { status: 'stopped', stoppedBy: 'dashboard' },
];

describe('a person who texts', () => {
  test.each(consents)('STOP is stopped, from $status ($stoppedBy)', (consent) => {
    expect(afterStop(consent, 'text').status).toBe('stopped');
  });

  test.each(consents)('START lifts only a texted stop: $status ($stoppedBy)', (consent) => {
    const after = afterStart(consent, 'text', true);
    if (consent.stoppedBy === 'text') expect(after).toEqual({ status: 'active', stoppedBy: null });
    else expect(after).toBe(consent);
  });

  test('STOP does not weaken a stop made in the inbox or the dashboard: START does not lift it afterwards', () => {
    for (const stoppedBy of ['inbox', 'dashboard'] as const) {
      const stopped = afterStop({ status: 'stopped', stoppedBy }, 'text');
      expect(afterStart(stopped, 'text', true).status).toBe('stopped');
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
        let consent: SmsConsent = { status: 'active', stoppedBy: null };
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
            status: firmest === null ? 'active' : 'stopped',
            stoppedBy: firmest,
          });
        }
      }),
    );
  });

  test('a stop that is lifted from someone without a number leaves no consent', () => {
    expect(afterStart({ status: 'stopped', stoppedBy: 'inbox' }, 'inbox', false)).toEqual({
      status: 'none',
      stoppedBy: null,
    });
  });
});
