import { expect, test } from 'vitest';
import { DAY, later } from '../../../kit/clock.ts';
import { firstSteps, type NewShopFacts } from './firstSteps.ts';

const BEGAN = new Date('2026-08-01T09:00:00Z');
const shop = (facts: Partial<NewShopFacts> = {}): NewShopFacts => ({
  name: 'Acme Books',
  createdAt: BEGAN,
  keys: 1,
  hasMessages: true,
  endpoints: 1,
  smsMode: 'on_request',
  spendable: 10,
  ...facts,
});
const open = (facts: Partial<NewShopFacts>, now = BEGAN): string[] =>
  firstSteps(shop(facts), now)
    .filter(({ done }) => !done)
    .map(({ message }) => message);

test('each step is open until it is done', () => {
  expect(open({ keys: 0 })).toEqual([expect.stringMatching(/^Make an API key/)]);
  expect(open({ hasMessages: false })).toEqual([expect.stringMatching(/^Push your first message/)]);
  expect(open({ endpoints: 0 })).toEqual([expect.stringMatching(/^Add a webhook endpoint/)]);
  expect(open({ spendable: 0 })).toEqual([expect.stringMatching(/^Get credits/)]);
  expect(open({ smsMode: 'off' })).toEqual([expect.stringMatching(/^Switch SMS on/)]);
  expect(open({ smsMode: 'not_enabled' })).toEqual([expect.stringMatching(/^Switch SMS on/)]);
});

test('the steps stand in the order in which they are taken', () => {
  const steps = firstSteps(shop({ keys: 0, hasMessages: false, endpoints: 0, spendable: 0 }), BEGAN);
  expect(steps.map(({ name }) => name)).toEqual(['name', 'key', 'push', 'webhook', 'sms']);
  expect(steps.map(({ done }) => done)).toEqual([true, false, false, false, false]);
});

test('a shop that has taken every step is shown none, and neither is one that is two weeks old', () => {
  expect(firstSteps(shop(), BEGAN)).toEqual([]);
  expect(firstSteps(shop({ endpoints: 0 }), later(BEGAN, 13 * DAY))).toHaveLength(5);
  expect(firstSteps(shop({ endpoints: 0 }), later(BEGAN, 14 * DAY))).toEqual([]);
});

test('a shop that never pushed a message is new at any age', () => {
  expect(firstSteps(shop({ hasMessages: false }), later(BEGAN, 400 * DAY))).toHaveLength(5);
});
