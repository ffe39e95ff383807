import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decided, nextId } from '../../test/support/decisions.ts';
import { NOW, NUMBER, type PushStateOptions, pushState, request } from '../../test/support/pushState.ts';
import { later, MINUTE } from '../kit/clock.ts';
import { type Decision, decide } from './decide.ts';
import type { PushRequest } from './request.ts';

const inAnHour = later(NOW, 60 * MINUTE);

const mode = fc.constantFrom('on', 'on_request', 'off', 'not_enabled');
const anyWorld = fc.record({
  business: fc.record({
    spendable: fc.integer({ min: 0, max: 3 }),
    name: fc.constantFrom('Acme', 'pay.example'),
  }),
  account: fc.record({
    paused: fc.boolean(),
    planLapsed: fc.boolean(),
    modes: fc.record({ sms: mode, whatsapp: mode }),
    ownEmailSender: fc.boolean(),
    countries: fc.constantFrom(null, ['EE'], ['FI']),
  }),
  recipient: fc.option(
    fc.record({
      phone: fc.constantFrom(null, NUMBER),
      smsStatus: fc.constantFrom('none' as const, 'active' as const),
      whatsappStatus: fc.constantFrom('none' as const, 'active' as const, 'stopped' as const),
    }),
  ),
  number: fc.record({ notOnWhatsapp: fc.boolean(), smsStop: fc.constantFrom(null, 'text' as const) }),
  address: fc.record({
    unsubscribed: fc.boolean(),
    suppressed: fc.boolean(),
    platformSuppressed: fc.boolean(),
  }),
  inReview: fc.constantFrom([], ['shipped']),
});
const anyRequest = fc.record({
  phone: fc.constantFrom(null, NUMBER),
  channels: fc.option(fc.subarray(['email', 'sms', 'whatsapp'] as const)),
  whatsappOptIn: fc.constantFrom(null, { source: 'checkout' }),
  smsIfWhatsappFails: fc.boolean(),
  reference: fc.constantFrom(null, '#1001', 'x.y'),
  orderStatus: fc.constantFrom(null, 'shipped', 'other'),
  notify: fc.constantFrom(null, true, false),
  sendAt: fc.constantFrom(null, inAnHour),
  escalateMinutes: fc.constantFrom(null, 30),
});

describe('whatever is asked of whatever account', () => {
  const holds = (check: (decision: Decision, ask: PushRequest, given: PushStateOptions) => void) =>
    fc.assert(
      fc.property(anyWorld, anyRequest, (given, ask) => {
        const { snapshot, business } = pushState(given);
        const verdict = decide(request(ask), business, snapshot, NOW, nextId);
        if (verdict.kind === 'decided') check(verdict.decision, request(ask), given);
      }),
      { numRuns: 2_000 },
    );

  test('nothing is queued without credit for it', () =>
    holds(({ sends, setAside, result }, _ask, given) => {
      expect(setAside).toBeLessThanOrEqual(given.business?.spendable ?? 0);
      expect(setAside).toBe((result.sms?.credits ?? 0) + (result.whatsapp?.credits ?? 0));
      for (const send of sends)
        expect(send.reserved).toBe(send.state === 'queued' && send.channel !== 'email');
    }));

  test('the email does not depend on the balance', () =>
    holds(({ result }, ask, given) => {
      const poor = decided(ask, { ...given, business: { ...given.business, spendable: 0 } });
      expect(poor.result.email).toEqual(result.email);
    }));

  test('naming a channel never switches one on', () =>
    holds(({ sends }, _ask, given) => {
      for (const { channel } of sends) {
        if (channel !== 'email') expect(['on', 'on_request']).toContain(given.account?.modes?.[channel]);
      }
    }));

  test('at most one text comes of a push', () =>
    holds(({ sends }) =>
      expect(sends.filter(({ channel }) => channel === 'sms').length).toBeLessThanOrEqual(1),
    ));

  test('a block says queued, armed or why not, and exactly one of them', () =>
    holds(({ result }) => {
      for (const block of [result.sms, result.whatsapp]) {
        if (block === null) continue;
        const said = [block.queued, block.skipped_reason !== null, block.escalates_at !== null];
        expect(said.filter(Boolean)).toHaveLength(1);
      }
    }));

  test('someone who stopped or unsubscribed is sent no paid message', () =>
    holds(({ sends, recipient }, _ask, given) => {
      const paid = sends.filter(({ channel }) => channel !== 'email').map(({ channel }) => channel);
      if (given.address?.unsubscribed) expect(paid).toEqual([]);
      if (recipient.smsStatus === 'stopped') expect(paid).not.toContain('sms');
      if (recipient.whatsappStatus !== 'active') expect(paid).not.toContain('whatsapp');
    }));
});
