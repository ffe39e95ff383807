import { expect, test } from 'vitest';
import { type EndpointFacts, endpointHealth } from '../webhooks/health.ts';
import { attentionFor, bouncesRise, type ShopFacts } from './attention.ts';

const ENDPOINT = { id: 'e1', url: 'https://shop.example/hooks?secret=1' };
const WORKS: EndpointFacts = {
  disabled_at: null,
  consecutive_failures: 0,
  last_success_at: new Date(0),
  last_error: null,
  recent: [true],
};

const WELL: ShopFacts = {
  active: true,
  paused: false,
  plan: 'active',
  hasPaidChannels: true,
  spendable: 100,
  ranLow: false,
  lowBalanceThreshold: 20,
  ownEmailSender: null,
  endpoints: [{ endpoint: ENDPOINT, health: endpointHealth(WORKS) }],
  days: [],
};

const warned = (change: Partial<ShopFacts>): string[] =>
  attentionFor({ ...WELL, ...change }).map(({ message }) => message);

test('a shop that is well needs no attention', () => {
  expect(warned({})).toEqual([]);
});

const endpoint = (change: Partial<EndpointFacts>): Partial<ShopFacts> => ({
  endpoints: [{ endpoint: ENDPOINT, health: endpointHealth({ ...WORKS, ...change }) }],
});
const OFF = endpoint({ disabled_at: new Date(0) });
const FAILING = endpoint({ last_error: 'answered 500', recent: [false, false, false] });

const domain = (
  state: 'pending' | 'verified' | 'broken',
  failing_since: Date | null = null,
): Partial<ShopFacts> => ({
  ownEmailSender: 'orders@acme.example',
  senderDomain: { domain: 'acme.example', state, failing_since },
});

test.each<[string, Partial<ShopFacts>, RegExp]>([
  ['deactivated', { active: false }, /deactivated/],
  ['paused', { paused: true }, /paused/],
  ['past due', { plan: 'past_due' }, /past due/],
  ['lapsed', { plan: 'lapsed' }, /lapsed/],
  ['waiting for its domain', domain('pending'), /acme\.example is not verified yet/],
  ['without its domain', domain('broken'), /acme\.example is not used any more/],
  ['losing its domain', domain('verified', new Date(0)), /key of acme\.example is gone/],
  ['short of credits', { spendable: 20 }, /Credits are low: 20 left/],
  ['out of credits', { spendable: 0, ranLow: true }, /No credits are left/],
  ['without a webhook', { endpoints: [] }, /No webhook yet/],
  ['whose endpoint is off', OFF, /at shop\.example is switched off/],
  ['whose endpoint fails', FAILING, /is failing\. The last 3 attempts failed\. The server answered 500/],
  ['whose endpoint lost an event', endpoint({ consecutive_failures: 1 }), /The last event could not be/],
])('a shop that is %s sees that on its overview', (_name, change, message) => {
  const [only, ...others] = warned(change);
  expect(only).toMatch(message);
  expect(others).toEqual([]);
});

test('a shop whose domain is verified sees nothing of it', () => {
  expect(warned(domain('verified'))).toEqual([]);
});

test('a shop that never had credits gets a hint, no warning', () => {
  const found = attentionFor({ ...WELL, spendable: 0 });
  expect(found.map(({ tone, page }) => [tone, page])).toEqual([['plain', '/credits']]);
});

test('a shop that sends only email is not asked for credits', () => {
  expect(warned({ hasPaidChannels: false, spendable: 0 })).toEqual([]);
});

test('an endpoint that failed once is not warned of', () => {
  expect(warned(endpoint({ last_error: 'answered 500', recent: [false, true] }))).toEqual([]);
});

test('everything leads to where it can be put right, or to who can', () => {
  const pages = (change: Partial<ShopFacts>) => attentionFor({ ...WELL, ...change }).map(({ page }) => page);
  expect(pages(OFF)).toEqual(['/webhooks/e1']);
  expect(pages(FAILING)).toEqual(['/webhooks/e1']);
  expect(pages({ endpoints: [] })).toEqual(['/webhooks']);
  expect(pages({ spendable: 0 })).toEqual(['/credits']);
  expect(pages({ spendable: 20 })).toEqual(['/credits']);
  expect(pages({ days: month(day(0, 0), day(100, 5)) })).toEqual(['/messages?email=bounced']);
  for (const change of [{ paused: true }, { active: false }, { plan: 'lapsed' } as const])
    expect(pages(change)).toEqual(['/settings#operators']);
});

test('an endpoint’s secret path is not shown', () => {
  expect(warned(OFF).join()).not.toContain('secret');
});

const day = (sent: number, bounced: number) => ({
  email: { sent, bounced, delivered: 0, opened: 0, complained: 0, failed: 0, not_sent: 0 },
});
const month = (before: ReturnType<typeof day>, recent: ReturnType<typeof day>) => [
  ...Array.from({ length: 23 }, () => before),
  ...Array.from({ length: 7 }, () => recent),
];

test.each([
  ['twice the share', month(day(100, 1), day(100, 2)), true],
  ['less than twice', month(day(100, 2), day(100, 3)), false],
  ['too few to say', month(day(100, 0), day(100, 1)), false],
  ['a new shop’s first bounces', month(day(0, 0), day(100, 5)), true],
  ['nothing sent', month(day(0, 0), day(0, 0)), false],
])('bounces rise: %s', (_name, days, rises) => {
  expect(bouncesRise(days)).toBe(rises);
});

test('an own sender whose emails fail is probably not verified', () => {
  const sender = (failed: number, delivered: number, ownEmailSender: string | null = 'shop@acme.example') =>
    warned({
      ownEmailSender,
      days: [{ email: { ...NO_EMAIL, failed, delivered, sent: failed + delivered } }],
    });
  expect(sender(3, 0)).toEqual([expect.stringContaining('Most emails from shop@acme.example fail')]);
  expect(sender(9, 8)).toHaveLength(1);
  expect(sender(2, 0)).toEqual([]);
  expect(sender(3, 3)).toEqual([]);
  // The shared sender is not the shop's to put right.
  expect(sender(30, 0, null)).toEqual([]);
});

const NO_EMAIL = { sent: 0, delivered: 0, opened: 0, bounced: 0, complained: 0, failed: 0, not_sent: 0 };
