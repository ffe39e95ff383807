import { expect, test } from 'vitest';
import { type EndpointFacts, endpointHealth, shownDuration, successRate, testWords } from './health.ts';

const AT = new Date('2026-08-20T09:15:00Z');
const NEW: EndpointFacts = {
  disabled_at: null,
  consecutive_failures: 0,
  last_success_at: null,
  last_error: null,
  recent: [],
};

/** `+` succeeded, `-` failed, the newest first. */
const attempts = (signs: string): boolean[] => [...signs].map((sign) => sign === '+');

test.each<[string, Partial<EndpointFacts>, string, RegExp]>([
  ['new', {}, 'untried', /^$/],
  ['working', { last_success_at: AT }, 'well', /^$/],
  [
    'troubled once',
    { last_error: 'answered 500', recent: attempts('-++') },
    'unsteady',
    /^The server answered 500/,
  ],
  [
    'troubled twice',
    { last_error: 'answered 500', recent: attempts('--') },
    'unsteady',
    /^The server answered 500/,
  ],
  [
    'failing three times in a row',
    { last_error: 'answered 500', recent: attempts(`---${'+'.repeat(47)}`) },
    'failing',
    /^The last 3 attempts failed[\s\S]*The server answered 500/,
  ],
  [
    'failing less than nine times in ten, though not the last time',
    { last_success_at: AT, recent: attempts(`+-+-+-+-+--${'+'.repeat(39)}`) },
    'failing',
    /^Only 44 of the last 50 attempts succeeded/,
  ],
  [
    'well nine times in ten',
    { last_success_at: AT, recent: attempts(`+-+-+-+-+-${'+'.repeat(40)}`) },
    'well',
    /^$/,
  ],
  ['well since a first failure', { last_success_at: AT, recent: attempts('++-') }, 'well', /^$/],
  [
    'failing for good',
    { last_error: 'connection refused', consecutive_failures: 3 },
    'failing',
    /last 3 events[\s\S]*After 20 in a row[\s\S]*refused the connection/,
  ],
  [
    'switched off by failures',
    { disabled_at: AT, consecutive_failures: 20, last_error: 'TLS: certificate has expired' },
    'disabled_by_failures',
    /switched off after 20 events in a row[\s\S]*send a test[\s\S]*has expired[\s\S]*Renew it/,
  ],
  [
    'switched off by hand while it failed',
    { disabled_at: AT, consecutive_failures: 19, last_error: 'answered 500' },
    'disabled',
    /by hand/,
  ],
])('an endpoint that is %s', (_, change, state, message) => {
  const health = endpointHealth({ ...NEW, ...change });
  expect(health.state).toBe(state);
  expect(health.reasons.flatMap((words) => [words.message, words.advice]).join('\n')).toMatch(message);
});

test.each([
  [0, 0, '–'],
  [3, 3, '100%'],
  [1999, 2000, '99.9%'],
  [1_999_999, 2_000_000, '99.9%'],
  [2, 3, '66.6%'],
  [0, 3, '0%'],
])('%i of %i attempts are %s', (succeeded, attempts, shown) => {
  expect(successRate({ succeeded, attempts })).toBe(shown);
});

test('a duration is shown in the unit that fits', () => {
  expect([0, 42, 999, 1_000, 1_001, 10_000].map(shownDuration)).toEqual([
    '0 ms',
    '42 ms',
    '999 ms',
    '1 s',
    '1.1 s',
    '10 s',
  ]);
});

test('the result of a test is said in words', () => {
  expect(testWords({ status_code: 204, error: null, duration_ms: 42 })).toEqual({
    tone: 'good',
    text: 'The test arrived: your server answered 204 after 42 ms.',
  });
  expect(testWords({ status_code: 404, error: 'answered 404', duration_ms: 42 })).toEqual({
    tone: 'bad',
    text: 'The test did not arrive. The server answered 404, “not found”. Check the path of the URL: nothing answers there.',
  });
});
