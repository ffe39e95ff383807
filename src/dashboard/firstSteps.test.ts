import { expect, test } from 'vitest';
import { DAY, later } from '../kit/clock.ts';
import { firstSteps, type NewShopFacts } from './firstSteps.ts';

const BEGAN = new Date('2026-08-01T09:00:00Z');
const shop = (facts: Partial<NewShopFacts> = {}): NewShopFacts => ({
  createdAt: BEGAN,
  keys: 1,
  hasMessages: true,
  endpoints: 1,
  hasPaidChannels: true,
  spendable: 10,
  ...facts,
});
const open = (facts: Partial<NewShopFacts>, now = BEGAN): string[] =>
  firstSteps(shop(facts), now)
    .filter(({ done }) => !done)
    .map(({ says }) => says);

test('each step is open until it is done', () => {
  expect(open({ keys: 0 })[0]).toMatch(/^Get an API key/);
  expect(open({ hasMessages: false })[0]).toMatch(/^Push your first message/);
  expect(open({ endpoints: 0 })[0]).toMatch(/^Add a webhook endpoint/);
  expect(open({ spendable: 0 })[0]).toMatch(/^Get credits/);
});

test('a shop without texts and WhatsApp needs no credits', () => {
  expect(open({ spendable: 0, hasPaidChannels: false })).toEqual([]);
});

test('a shop that has taken every step is shown none, and neither is one that is two weeks old', () => {
  expect(firstSteps(shop(), BEGAN)).toEqual([]);
  expect(firstSteps(shop({ endpoints: 0 }), later(BEGAN, 13 * DAY))).toHaveLength(4);
  expect(firstSteps(shop({ endpoints: 0 }), later(BEGAN, 14 * DAY))).toEqual([]);
});

test('a shop that never pushed a message is new at any age', () => {
  expect(firstSteps(shop({ hasMessages: false }), later(BEGAN, 400 * DAY))).toHaveLength(4);
});
