import { describe, expect, test } from 'vitest';
import { type ConnectionFacts, isOverdue, isSpare, type Phase, phaseOf } from './connectionPhase.ts';
import { HTTP_LIMITS } from './limits.ts';

const facts = (change: Partial<ConnectionFacts>): ConnectionFacts => ({
  phase: 'opening',
  since: 0,
  bytesBefore: 0,
  closing: false,
  request: null,
  response: null,
  ...change,
});
const response = (writableEnded: boolean, writableFinished: boolean) => ({
  headersSent: writableEnded,
  writableEnded,
  writableFinished,
});

test.each<[Phase, Partial<ConnectionFacts>]>([
  ['opening', {}],
  ['working', { request: { complete: false }, response: response(false, false) }],
  ['working', { request: { complete: true }, response: response(false, false) }],
  ['unread_answer', { request: { complete: true }, response: response(true, false) }],
  ['draining', { request: { complete: false }, response: response(true, true) }],
  ['idle', { request: { complete: true }, response: response(true, true) }],
  ['closing', { closing: true, request: { complete: false }, response: response(false, false) }],
])('%s', (phase, change) => {
  expect(phaseOf(facts(change))).toBe(phase);
});

describe('in production', () => {
  const overdueAfter = (phase: Phase, bytes = 0): number => {
    for (let seconds = 0; seconds <= 600; seconds += 1)
      if (isOverdue(HTTP_LIMITS, { phase, forMs: seconds * 1_000, bytes })) return seconds;
    return Number.POSITIVE_INFINITY;
  };

  test('a connection is gone within 60 s of a timeout, a refusal or an answer that is not read', () => {
    const { headMs, requestMs, drainMs, lingerMs, unreadAnswerMs, checkEveryMs } = HTTP_LIMITS;
    expect(headMs + lingerMs + 2 * checkEveryMs).toBeLessThanOrEqual(60_000);
    expect(requestMs + lingerMs + 2 * checkEveryMs).toBeLessThanOrEqual(60_000);
    for (const time of [drainMs, lingerMs, unreadAnswerMs])
      expect(time + 2 * checkEveryMs).toBeLessThanOrEqual(60_000);
  });

  test.each<[Phase, number]>([
    ['opening', 16],
    ['unread_answer', 31],
    ['draining', 16],
    ['closing', 6],
    ['idle', 76],
    ['working', Number.POSITIVE_INFINITY],
  ])('%s lasts less than %d s', (phase, seconds) => {
    expect(overdueAfter(phase)).toBe(seconds);
  });

  test('a body that is not wanted is not read on and on', () => {
    expect(overdueAfter('draining', HTTP_LIMITS.drainBytes + 1)).toBe(0);
  });
});

test('a request in progress is never given up for a newcomer', () => {
  const phases: Phase[] = ['opening', 'working', 'unread_answer', 'draining', 'idle', 'closing'];
  expect(phases.filter(isSpare)).toEqual(['opening', 'draining', 'idle', 'closing']);
});
