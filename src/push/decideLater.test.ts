import { describe, expect, test } from 'vitest';
import { decided, sendsOf } from '../../test/support/decisions.ts';
import { NOW } from '../../test/support/pushState.ts';
import { later, MINUTE } from '../kit/clock.ts';

const inAnHour = later(NOW, 60 * MINUTE);
const halfAnHour = later(NOW, 30 * MINUTE).toISOString();

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
