import { describe, expect, test } from 'vitest';
import { afterTextedStart, afterTextedStop, type SmsStanding } from './stops.ts';

const standings: SmsStanding[] = [
  { status: 'none', stoppedBy: null },
  { status: 'active', stoppedBy: null },
  { status: 'stopped', stoppedBy: 'text' },
  { status: 'stopped', stoppedBy: 'inbox' },
  { status: 'stopped', stoppedBy: 'dashboard' },
];

describe('a person who texts', () => {
  test.each(standings)('STOP is stopped, from $status ($stoppedBy)', (standing) => {
    expect(afterTextedStop(standing).status).toBe('stopped');
  });

  test.each(standings)('START lifts only a texted stop: $status ($stoppedBy)', (standing) => {
    const after = afterTextedStart(standing);
    if (standing.stoppedBy === 'text') expect(after).toEqual({ status: 'active', stoppedBy: null });
    else expect(after).toBe(standing);
  });

  test('STOP does not weaken a stop made in the inbox or the dashboard: START does not lift it afterwards', () => {
    for (const stoppedBy of ['inbox', 'dashboard'] as const) {
      expect(afterTextedStart(afterTextedStop({ status: 'stopped', stoppedBy })).status).toBe('stopped');
    }
  });
});
