import { describe, expect, test } from 'vitest';
import { decided, nextId, sendsOf } from '../../test/support/decisions.ts';
import { NOW, NUMBER, type PushStateOptions, pushState, request } from '../../test/support/pushState.ts';
import { later, MINUTE } from '../kit/clock.ts';
import { applyToSnapshot, decide } from './decide.ts';

const inAnHour = later(NOW, 60 * MINUTE);

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
    const { snapshot, business } = pushState();
    const first = decide(request({ kind: 'updateable' }), business, snapshot, NOW, nextId);
    if (first.kind === 'refused') throw first.error;
    applyToSnapshot(snapshot, business, first.decision);
    const second = decide(
      request({ kind: 'updateable', notify, body: 'New' }),
      business,
      snapshot,
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
    expect(second.decision.cancelled.map(({ reason }) => reason)).toEqual(nudged ? ['superseded'] : []);
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
    const prices: PushStateOptions = { prices: [['EE', 3]] };
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

  test('a number that was stopped before stays stopped for its next holder', () => {
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
    const { snapshot, business } = pushState({ recipient: { phone: null } });
    const verdict = decide(
      request({ whatsappOptIn: { source: 'checkout' } }),
      business,
      snapshot,
      NOW,
      nextId,
    );
    expect(verdict).toMatchObject({
      kind: 'refused',
      error: { code: 'common.validation_failed', detail: [{ loc: ['body', 'whatsapp_opt_in'] }] },
    });
  });
});

describe('obsoletes', () => {
  test('greys out active messages of the business once each, and calls off what waits', () => {
    const { snapshot, business } = pushState();
    const old = decide(request({ channels: ['sms'], sendAt: inAnHour }), business, snapshot, NOW, nextId);
    if (old.kind === 'refused') throw old.error;
    applyToSnapshot(snapshot, business, old.decision);
    expect(business.spendable).toBe(9);
    const id = old.decision.result.id;
    const verdict = decide(
      request({ subject: 'Other', obsoletes: [id, id, 'unknown'] }),
      business,
      snapshot,
      NOW,
      nextId,
    );
    if (verdict.kind === 'refused') throw verdict.error;
    expect(verdict.decision.obsoleted.map((message) => message.id)).toEqual([id]);
    expect(verdict.decision.cancelled.map(({ reason }) => reason)).toEqual([
      'message_obsolete',
      'message_obsolete',
    ]);
    expect(verdict.decision.events).toMatchObject([
      { type: 'message.not_sent', messageId: id, data: { reason: 'message_obsolete' } },
    ]);
    applyToSnapshot(snapshot, business, verdict.decision);
    expect(business.spendable).toBe(10);
  });
});
