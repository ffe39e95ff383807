import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOW, NUMBER, request, type World, world } from '../../test/helpers/pushFacts.ts';
import { later, MINUTE } from '../kit/clock.ts';
import { absorb, type Decision, decide } from './decide.ts';
import type { PushRequest } from './request.ts';

let ids = 0;
const nextId = () => `id${++ids}`;

function decided(ask: Partial<PushRequest>, given: World = {}): Decision {
  const { known, business } = world(given);
  const verdict = decide(request(ask), business, known, NOW, nextId);
  if (verdict.kind === 'refused') throw verdict.error;
  return verdict.decision;
}

const inAnHour = later(NOW, 60 * MINUTE);
const halfAnHour = later(NOW, 30 * MINUTE).toISOString();
const sendsOf = (decision: Decision) =>
  decision.sends.map(({ channel, purpose, state }) => `${channel} ${purpose} ${state}`);

describe('nudging', () => {
  test.each([
    [null, true],
    [true, true],
    [false, false],
  ])('a new message with notify %s nudges: %s', (notify, nudged) => {
    const { result, sends } = decided({ notify });
    expect(result.nudged).toBe(nudged);
    expect(sends.length > 0).toBe(nudged);
    if (!nudged)
      expect(result).toMatchObject({ email: null, sms: null, whatsapp: null, scheduled_for: null });
  });

  test.each([
    [null, false],
    [true, true],
    [false, false],
  ])('an in-place update with notify %s nudges: %s', (notify, nudged) => {
    const { known, business } = world();
    const first = decide(request({ kind: 'updateable' }), business, known, NOW, nextId);
    if (first.kind === 'refused') throw first.error;
    absorb(known, business, first.decision);
    const second = decide(
      request({ kind: 'updateable', notify, body: 'New' }),
      business,
      known,
      inAnHour,
      nextId,
    );
    if (second.kind === 'refused') throw second.error;
    expect(second.decision.result).toMatchObject({
      id: first.decision.result.id,
      created: false,
      nudged,
      created_at: NOW.toISOString(),
      updated_at: inAnHour.toISOString(),
    });
    // A forced nudge takes the place of the email that still waits; a quiet update leaves it as it is.
    expect(second.decision.calledOff.map(({ reason }) => reason)).toEqual(nudged ? ['superseded'] : []);
  });

  test('send_at holds every channel, and is echoed', () => {
    const decision = decided({ sendAt: inAnHour, channels: ['sms', 'whatsapp'] });
    expect(decision.result.scheduled_for).toBe(inAnHour.toISOString());
    expect(decision.sends.map(({ dueAt }) => dueAt)).toEqual([inAnHour, inAnHour, inAnHour]);
  });

  test('an email that a gate refuses is written down and told, and the paid channels go on', () => {
    const decision = decided({ channels: ['sms'] }, { account: { planLapsed: true } });
    expect(decision.result.email).toEqual({ sending: false, skipped_reason: 'plan_lapsed' });
    expect(decision.result.sms).toMatchObject({ queued: true, credits: 1 });
    expect(decision.events).toMatchObject([{ type: 'message.not_sent', data: { reason: 'plan_lapsed' } }]);
  });
});

describe('a channel block', () => {
  test.each([
    ['on', null, 'queued'],
    ['on_request', null, null],
    ['off', null, null],
    ['not_enabled', null, null],
    ['on', ['email'], 'disabled_by_request'],
    ['on_request', ['email'], null],
    ['off', ['email'], null],
    ['on', ['sms'], 'queued'],
    ['on_request', ['sms'], 'queued'],
    ['off', ['sms'], 'sms_disabled'],
    ['not_enabled', ['sms'], 'sms_not_enabled'],
  ] as const)('with the account’s mode %s and channels %j: %s', (mode, channels, outcome) => {
    const { result } = decided({ channels }, { account: { modes: { sms: mode, whatsapp: 'off' } } });
    if (outcome === null) expect(result.sms).toBeNull();
    else if (outcome === 'queued')
      expect(result.sms).toEqual({ queued: true, credits: 1, skipped_reason: null, escalates_at: null });
    else
      expect(result.sms).toEqual({ queued: false, credits: 0, skipped_reason: outcome, escalates_at: null });
    expect(result.sms_units).toBe(outcome === 'queued' ? 1 : 0);
  });

  test('naming both sends two messages and costs two credits', () => {
    const decision = decided({ channels: ['sms', 'whatsapp'] });
    expect(sendsOf(decision)).toEqual(['email nudge queued', 'sms nudge queued', 'whatsapp nudge queued']);
    expect(decision.setAside).toBe(2);
  });

  test('a country’s price is what is set aside, and what must be there', () => {
    const prices: World = { prices: [['EE', 3]] };
    expect(decided({ channels: ['sms'] }, prices).result.sms).toMatchObject({ queued: true, credits: 3 });
    expect(
      decided({ channels: ['sms'] }, { ...prices, business: { spendable: 2 } }).result.sms,
    ).toMatchObject({
      queued: false,
      credits: 0,
      skipped_reason: 'insufficient_credit',
    });
  });
});

describe('sms_if_whatsapp_fails', () => {
  const fallback = { smsIfWhatsappFails: true, channels: ['whatsapp'] as const };

  test('arms a text behind a WhatsApp message that was queued', () => {
    const decision = decided(fallback);
    expect(sendsOf(decision)).toEqual(['email nudge queued', 'whatsapp nudge queued', 'sms fallback held']);
    expect(decision.sends[2]).toMatchObject({
      fallbackOf: decision.sends[1]?.id,
      dueAt: null,
      reserved: false,
    });
    expect(decision.result).toMatchObject({
      sms: null,
      sms_units: 0,
      whatsapp: { queued: true, sms_fallback: true },
    });
  });

  test.each([
    ['the number is known not to be on WhatsApp', { number: { notOnWhatsapp: true } }, {}],
    ['the push has no reference', {}, { reference: null }],
    ['the push has no status we know', {}, { orderStatus: 'teleported' }],
    ['the reference cannot be displayed', {}, { reference: 'a.example' }],
    ['the business name cannot be displayed', { business: { name: 'pay.example' } }, {}],
  ] as const)('texts at once when %s', (_case, given, ask) => {
    const decision = decided({ ...fallback, ...ask }, given);
    expect(sendsOf(decision)).toEqual(['email nudge queued', 'sms fallback queued']);
    expect(decision.result).toMatchObject({
      sms: { queued: true, credits: 1 },
      sms_units: 1,
      whatsapp: { queued: false, sms_fallback: false },
    });
  });

  test('does not text while a template is still in review', () => {
    const decision = decided(fallback, { inReview: ['shipped'] });
    expect(sendsOf(decision)).toEqual(['email nudge queued']);
    expect(decision.result.whatsapp).toMatchObject({
      skipped_reason: 'template_not_sendable',
      sms_fallback: false,
    });
  });

  test('is ignored unless a WhatsApp message was queued', () => {
    expect(sendsOf(decided(fallback, { recipient: { whatsappStatus: 'none' } }))).toEqual([
      'email nudge queued',
    ]);
  });

  test('is skipped when the push queued a text of its own', () => {
    const decision = decided({ smsIfWhatsappFails: true, channels: ['sms', 'whatsapp'] });
    expect(decision.sends.filter(({ channel }) => channel === 'sms')).toHaveLength(1);
    expect(decision.result.whatsapp).toMatchObject({ queued: true, sms_fallback: false });
  });

  test.each(['off', 'not_enabled'] as const)('arms nothing on an account whose SMS is %s', (mode) => {
    const decision = decided(fallback, { account: { modes: { sms: mode, whatsapp: 'on_request' } } });
    expect(sendsOf(decision)).toEqual(['email nudge queued', 'whatsapp nudge queued']);
  });
});

describe('escalate_if_unread_after_minutes', () => {
  const escalate = { escalateMinutes: 30 };

  test('arms what would be sent, charges nothing, and gives the deadline', () => {
    const decision = decided({ ...escalate, channels: ['sms', 'whatsapp'] });
    expect(sendsOf(decision)).toEqual(['email nudge queued', 'sms nudge held', 'whatsapp nudge held']);
    expect(decision.setAside).toBe(0);
    const armed = { queued: false, credits: 0, skipped_reason: null, escalates_at: halfAnHour };
    expect(decision.result).toMatchObject({
      sms: armed,
      whatsapp: { ...armed, sms_fallback: false },
      sms_units: 0,
    });
  });

  test('counts from send_at when that is set', () => {
    const { result } = decided({ ...escalate, channels: ['sms'], sendAt: inAnHour });
    expect(result.sms?.escalates_at).toBe(later(inAnHour, 30 * MINUTE).toISOString());
  });

  test('reports consent, number, country and mode at once, and leaves credit to the deadline', () => {
    expect(
      decided(
        { ...escalate, channels: ['sms'] },
        { recipient: { smsStatus: 'stopped', smsStoppedBy: 'text' } },
      ).result.sms,
    ).toMatchObject({
      skipped_reason: 'stopped',
      escalates_at: null,
    });
    expect(
      decided({ ...escalate, channels: ['sms'] }, { business: { spendable: 0 } }).result.sms,
    ).toMatchObject({
      skipped_reason: null,
      escalates_at: halfAnHour,
    });
  });

  test('holds a paid channel that the account’s mode sends unasked', () => {
    const { result } = decided(escalate, { account: { modes: { sms: 'on', whatsapp: 'off' } } });
    expect(result.sms).toMatchObject({ queued: false, escalates_at: halfAnHour });
  });

  test('is ignored when no paid channel was requested', () => {
    expect(sendsOf(decided(escalate))).toEqual(['email nudge queued']);
  });

  test.each([
    ['is on WhatsApp', {}, {}],
    ['is known not to be on WhatsApp', { number: { notOnWhatsapp: true } }, {}],
    ['gets a push without a template', {}, { reference: null }],
  ] as const)('holds the fallback with the WhatsApp message for a number that %s', (_case, given, ask) => {
    const decision = decided(
      { ...escalate, ...ask, smsIfWhatsappFails: true, channels: ['whatsapp'] },
      given,
    );
    expect(sendsOf(decision)).toEqual(['email nudge queued', 'whatsapp nudge held', 'sms fallback held']);
    expect(decision.result).toMatchObject({
      sms: null,
      whatsapp: {
        queued: false,
        credits: 0,
        skipped_reason: null,
        sms_fallback: true,
        escalates_at: halfAnHour,
      },
    });
  });
});

describe('the number and the consent that a push brings', () => {
  test('an accepted number makes a new recipient active, with when and whence', () => {
    const { recipient, recipientChange } = decided({ phone: NUMBER }, { recipient: null });
    expect(recipientChange).toBe('insert');
    expect(recipient).toMatchObject({
      phone: NUMBER,
      smsStatus: 'active',
      smsConsentAt: NOW,
      smsConsentSource: 'push',
    });
  });

  test('a number that another recipient has is not stored, and the push goes on', () => {
    const decision = decided(
      { phone: NUMBER, channels: ['sms'] },
      { recipient: null, number: { heldBy: 'somebody' } },
    );
    expect(decision.recipient.phone).toBeNull();
    expect(decision.result).toMatchObject({
      created: true,
      sms: { queued: false, skipped_reason: 'phone_conflict' },
    });
  });

  test('a number that was stopped before stays stopped for whoever gets it', () => {
    const { recipient, result } = decided(
      { phone: NUMBER, channels: ['sms'] },
      { recipient: null, number: { smsStop: 'text' } },
    );
    expect(recipient).toMatchObject({ smsStatus: 'stopped', smsStoppedBy: 'text' });
    expect(result.sms?.skipped_reason).toBe('stopped');
  });

  test('a changed number clears WhatsApp consent', () => {
    const { recipient } = decided({ phone: { number: '+37255550999', country: 'EE' } });
    expect(recipient).toMatchObject({ whatsappStatus: 'none', smsStatus: 'active' });
  });

  test('consent recorded by a push is consent that it can send on', () => {
    const decision = decided(
      { phone: NUMBER, whatsappOptIn: { source: 'checkout' }, channels: ['whatsapp'] },
      { recipient: null },
    );
    expect(decision.result).toMatchObject({
      whatsapp: { queued: true },
      whatsapp_opt_in: { recorded: true, status: 'active', skipped_reason: null },
    });
    expect(decision.consent).toMatchObject([
      { channel: 'sms' },
      { channel: 'whatsapp', action: 'granted', source: 'checkout' },
    ]);
  });

  test.each([
    ['active', 'already_opted_in'],
    ['stopped', 'opted_out'],
  ] as const)('consent of someone %s is reported as %s', (whatsappStatus, skipped_reason) => {
    const { result } = decided({ whatsappOptIn: { source: 'checkout' } }, { recipient: { whatsappStatus } });
    expect(result.whatsapp_opt_in).toEqual({ recorded: false, status: whatsappStatus, skipped_reason });
  });

  test('consent with no number to be about is refused before anything is stored', () => {
    const { known, business } = world({ recipient: { phone: null } });
    const verdict = decide(request({ whatsappOptIn: { source: 'checkout' } }), business, known, NOW, nextId);
    expect(verdict).toMatchObject({
      kind: 'refused',
      error: { code: 'common.validation_failed', detail: [{ loc: ['body', 'whatsapp_opt_in'] }] },
    });
  });
});

describe('obsoletes', () => {
  test('greys out active messages of the business once each, and calls off what waits', () => {
    const { known, business } = world();
    const old = decide(request({ channels: ['sms'], sendAt: inAnHour }), business, known, NOW, nextId);
    if (old.kind === 'refused') throw old.error;
    absorb(known, business, old.decision);
    expect(business.spendable).toBe(9);
    const id = old.decision.result.id;
    const verdict = decide(
      request({ subject: 'Other', obsoletes: [id, id, 'unknown'] }),
      business,
      known,
      NOW,
      nextId,
    );
    if (verdict.kind === 'refused') throw verdict.error;
    expect(verdict.decision.obsoleted.map((message) => message.id)).toEqual([id]);
    expect(verdict.decision.calledOff.map(({ reason }) => reason)).toEqual([
      'message_obsolete',
      'message_obsolete',
    ]);
    expect(verdict.decision.events).toMatchObject([
      { type: 'message.not_sent', messageId: id, data: { reason: 'message_obsolete' } },
    ]);
    absorb(known, business, verdict.decision);
    expect(business.spendable).toBe(10);
  });
});

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
  const holds = (check: (decision: Decision, ask: PushRequest, given: World) => void) =>
    fc.assert(
      fc.property(anyWorld, anyRequest, (given, ask) => {
        const { known, business } = world(given);
        const verdict = decide(request(ask), business, known, NOW, nextId);
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
