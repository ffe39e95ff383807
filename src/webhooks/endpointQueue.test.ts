import { describe, expect, test } from 'vitest';
import { later, SECOND } from '../kit/clock.ts';
import {
  BEHIND_MS,
  CONCURRENCY_PER_ENDPOINT,
  capacityLeft,
  dequeueNext,
  dequeueStale,
  type EndpointQueue,
  FAILING_AFTER,
  isWorthAScan,
  type Job,
  LEASE_NEEDED_MS,
  MAX_PACE,
  MIN_PACE,
  newEndpointQueue,
  QUICK_MS,
  recordResponse,
  untilBehind,
} from './endpointQueue.ts';

const start = new Date('2026-08-20T09:15:00.000Z');

const job = (eventId: string, over: Partial<Job> = {}): Job => ({
  businessId: 'b',
  endpointId: 'e',
  eventId,
  about: eventId,
  attempts: 0,
  dueAt: start,
  lease: 'lease',
  leaseEnd: later(start, 20 * SECOND),
  content: {
    url: 'https://shop.example/',
    secrets: { secret_sealed: Buffer.alloc(0), previous_secret_sealed: null, secret_switches_at: null },
    type: 'ping',
    body: '{}',
    trace: null,
    readAt: 0,
  },
  ...over,
});

const lineOf = (...jobs: Job[]): EndpointQueue => {
  const line = newEndpointQueue(false);
  line.waiting.push(...jobs);
  for (const one of jobs) line.held.set(one.eventId, one);
  return line;
};

/** Begins all that may begin at that moment; answers what did. */
const begin = (line: EndpointQueue, now: Date): string[] => {
  const begun: string[] = [];
  for (let next = dequeueNext(line, now); next !== null; next = dequeueNext(line, now)) {
    line.inFlight.add(next.about);
    begun.push(next.eventId);
  }
  return begun;
};

const failing = (line: EndpointQueue): EndpointQueue => {
  for (let attempt = 0; attempt < FAILING_AFTER; attempt += 1) {
    recordResponse(line, { delivered: false, durationMs: 1 });
  }
  return line;
};

const many = Array.from({ length: 12 }, (_, index) => job(`e${index}`));
const behind = later(start, BEHIND_MS);

describe('what may begin', () => {
  test('one at a time, in order, while the endpoint keeps up', () => {
    const line = lineOf(...many);
    expect(begin(line, later(start, BEHIND_MS - 1))).toEqual(['e0']);
    line.inFlight.clear();
    expect(begin(line, start)).toEqual(['e1']);
  });

  test('several once it has fallen behind, and never more than the bound', () => {
    const line = lineOf(...many);
    expect(begin(line, behind)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7']);
    expect(line.inFlight.size).toBe(CONCURRENCY_PER_ENDPOINT);
    expect(begin(line, later(behind, 60 * SECOND))).toEqual([]);
  });

  test('never two about the same message at once, however far behind', () => {
    const line = lineOf(
      job('a1', { about: 'a' }),
      job('a2', { about: 'a' }),
      job('b1', { about: 'b' }),
      job('a3', { about: 'a' }),
    );
    expect(begin(line, behind)).toEqual(['a1', 'b1']);
    line.inFlight.delete('a');
    expect(begin(line, behind)).toEqual(['a2']);
  });

  test('one at a time for an endpoint that fails, however far behind, until it answers again', () => {
    const line = failing(lineOf(...many));
    expect(begin(line, behind)).toEqual(['e0']);
    line.inFlight.clear();
    recordResponse(line, { delivered: true, durationMs: 5 });
    expect(begin(line, behind)).toHaveLength(CONCURRENCY_PER_ENDPOINT);
  });

  test('an endpoint known to have failed begins with one', () => {
    const line = newEndpointQueue(true);
    line.waiting.push(...many);
    expect(begin(line, behind)).toEqual(['e0']);
  });

  test('a failure or two are an accident', () => {
    const line = lineOf(...many);
    for (let attempt = 1; attempt < FAILING_AFTER; attempt += 1)
      recordResponse(line, { delivered: false, durationMs: 1 });
    expect(begin(line, behind)).toHaveLength(CONCURRENCY_PER_ENDPOINT);
  });
});

describe('when it will have fallen behind', () => {
  test('a second after the oldest came due', () => {
    expect(untilBehind(lineOf(...many), later(start, 400))).toBe(BEHIND_MS - 400);
  });

  test.each([
    ['nothing waits', lineOf()],
    ['it fails', failing(lineOf(...many))],
  ])('never while %s', (_, line) => {
    expect(untilBehind(line, start)).toBeNull();
  });

  test('not again once it has', () => {
    expect(untilBehind(lineOf(...many), behind)).toBeNull();
  });
});

describe('a lease that would end before its attempt', () => {
  test('takes its delivery out of the line, and leaves those claimed later', () => {
    const fresh = job('late', { leaseEnd: later(start, 30 * SECOND) });
    const line = lineOf(job('e0'), job('e1'), fresh);
    const almost = later(start, 20 * SECOND - LEASE_NEEDED_MS);
    expect(dequeueStale(line, almost)).toEqual([]);
    expect(dequeueStale(line, later(almost, 1)).map(({ eventId }) => eventId)).toEqual(['e0', 'e1']);
    expect(line.waiting).toEqual([fresh]);
    expect(dequeueStale(line, later(start, 60 * SECOND))).toEqual([fresh]);
    expect(dequeueStale(line, later(start, 60 * SECOND))).toEqual([]);
  });
});

describe('how much is claimed', () => {
  test('little at first, and more and more of who answers quickly', () => {
    const line = newEndpointQueue(false);
    expect(capacityLeft(line)).toBe(MIN_PACE);
    recordResponse(line, { delivered: true, durationMs: QUICK_MS });
    expect(capacityLeft(line)).toBe(2 * MIN_PACE);
    for (let answer = 0; answer < 20; answer += 1) recordResponse(line, { delivered: true, durationMs: 1 });
    expect(capacityLeft(line)).toBe(MAX_PACE);
  });

  test.each([
    ['is slow', { delivered: true, durationMs: QUICK_MS + 1 }],
    ['fails', { delivered: false, durationMs: 1 }],
  ])('little again of who %s', (_, answer) => {
    const line = newEndpointQueue(false);
    for (let quick = 0; quick < 20; quick += 1) recordResponse(line, { delivered: true, durationMs: 1 });
    recordResponse(line, answer);
    expect(capacityLeft(line)).toBe(MIN_PACE);
  });

  test('a look is worth it once half is done, and then fills every line', () => {
    const line = lineOf(...many.slice(0, MIN_PACE / 2 + 1));
    line.inFlight.add(line.waiting.shift()?.about ?? '');
    expect(isWorthAScan(line)).toBe(false);
    expect(capacityLeft(line)).toBe(MIN_PACE / 2 - 1);
    line.inFlight.clear();
    expect(isWorthAScan(line)).toBe(true);
    expect(capacityLeft(line)).toBe(MIN_PACE / 2);
  });

  test('no look is worth it where the last one left nothing', () => {
    const line = newEndpointQueue(false);
    expect(isWorthAScan(line)).toBe(true);
    line.hasMore = false;
    expect(isWorthAScan(line)).toBe(false);
  });

  test('none while more is open than the pace allows, as when it has become slow', () => {
    const line = lineOf(...many.slice(0, MIN_PACE + 1));
    expect(capacityLeft(line)).toBe(0);
  });

  test('one at a time of who fails', () => {
    const line = failing(newEndpointQueue(false));
    expect(capacityLeft(line)).toBe(1);
    expect(isWorthAScan(line)).toBe(true);
    line.held.set('e0', job('e0'));
    expect(capacityLeft(line)).toBe(0);
    expect(isWorthAScan(line)).toBe(false);
  });
});
