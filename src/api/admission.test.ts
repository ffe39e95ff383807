import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANYONE_WEIGHT, createAdmission } from './admission.ts';
import { HTTP_LIMITS } from './limits.ts';

const admissionOf = (limits: { requests?: number; bodyBytes?: number }) =>
  createAdmission({ requests: 100, bodyBytes: 1_000, ...limits });

test('one tenant gets half of the requests, and again as soon as one of its own is over', () => {
  const { admit } = admissionOf({ requests: 4 });
  const first = admit('shop');
  expect(admit('shop')).not.toBeNull();
  expect(admit('shop')).toBeNull();
  admit('other')?.release();
  first?.release();
  first?.release();
  expect(admit('shop')).not.toBeNull();
  expect(admit('shop')).toBeNull();
});

test('bytes count as they arrive: half of them for one tenant, whatever the number of its requests', () => {
  const { admit, bytesHeld } = admissionOf({ bodyBytes: 100 });
  const [one, two, other] = [admit('shop'), admit('shop'), admit('other')];
  expect(bytesHeld()).toBe(0);
  expect(one?.reserveBytes(30)).toBe(true);
  expect(two?.reserveBytes(20)).toBe(true);
  expect(two?.reserveBytes(1)).toBe(false);
  expect(other?.reserveBytes(25)).toBe(true);
  one?.release();
  expect(two?.reserveBytes(17)).toBe(true);
  expect(two?.reserveBytes(1)).toBe(false);
  two?.release();
  other?.release();
  expect(bytesHeld()).toBe(0);
  expect(two?.reserveBytes(1)).toBe(false);
});

test('a request whose key becomes known counts as its business’s from then on', () => {
  const { admit } = admissionOf({ requests: 4 });
  const [one, two] = [admit('unknown'), admit('unknown')];
  expect(admit('unknown')).toBeNull();
  expect(one?.moveTo('shop')).toBe(true);
  const three = admit('unknown');
  expect(two?.moveTo('shop')).toBe(false);
  for (const request of [one, two, three]) request?.release();
  expect([admit('shop'), admit('shop')].every((request) => request !== null)).toBe(true);
});

test('a request whose caller has gone counts until its work has ended', () => {
  const { admit, bytesHeld } = admissionOf({ requests: 2 });
  const request = admit('shop');
  request?.reserveBytes(10);
  request?.workBegins();
  request?.release();
  expect([admit('shop'), bytesHeld()]).toEqual([null, 10]);
  request?.workEnds();
  expect(bytesHeld()).toBe(0);
  expect(admit('shop')).not.toBeNull();
});

test('what must be sent is counted whatever the share, and keeps further bytes out', () => {
  const { admit, bytesHeld } = admissionOf({ bodyBytes: 100 });
  const request = admit('shop');
  request?.addBytes(80);
  expect(request?.reserveBytes(1)).toBe(false);
  expect(bytesHeld()).toBe(80);
});

test('in production a shop alone may have 2,500 requests in progress and hold 128 MiB, anyone without a key a ninth', () => {
  const { admit } = createAdmission(HTTP_LIMITS);
  const fill = (tenant: string, weight?: number): number => {
    const request = admit(tenant, weight);
    let held = 0;
    while (request?.reserveBytes(64 * 1024)) held += 64 * 1024;
    request?.release();
    return held;
  };
  expect(fill('shop')).toBe(128 * 1024 * 1024);
  expect(fill('callbacks', ANYONE_WEIGHT)).toBeLessThan(29 * 1024 * 1024);
  let requests = 0;
  while (admit('shop') !== null) requests += 1;
  expect(requests).toBe(2_500);
});

test('however tenants come, hold and go, nobody exceeds the capacity and nothing stays held', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9), fc.nat(3))), (visits) => {
      const { admit, bytesHeld } = admissionOf({ requests: 10, bodyBytes: 40 });
      const inside: { release(): void }[] = [];
      for (const [tenant, bytes, leaving] of visits) {
        const request = admit(tenant);
        if (request) inside.push(request);
        request?.reserveBytes(bytes);
        expect(inside.length).toBeLessThanOrEqual(10);
        expect(bytesHeld()).toBeLessThanOrEqual(40);
        if (leaving === 0) inside.shift()?.release();
      }
      for (const request of inside) request.release();
      expect(bytesHeld()).toBe(0);
      expect(Array.from({ length: 5 }, () => admit('anyone')).every((one) => one !== null)).toBe(true);
    }),
  );
});
