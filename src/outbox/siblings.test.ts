import { describe, expect, test } from 'vitest';
import { lockedSend } from '../../test/support/lockedSend.ts';
import { later, MINUTE } from '../kit/clock.ts';
import type { LockedSend } from './lockSql.ts';
import { withSiblings } from './siblings.ts';
import { OUTCOME_UNKNOWN } from './states.ts';

const called = new Date('2026-08-20T09:00:00.000Z');
const now = new Date('2026-08-20T09:01:00.000Z');

/** What becomes of `held` when `changed` ends up as given. */
function follow(changed: Partial<LockedSend>, held: LockedSend, textInstead = false): LockedSend {
  const before = lockedSend({ id: 'changed', submitted_at: called, ...changed, state: 'submitting' });
  const after = { ...before, ...changed };
  const stop = textInstead ? { reason: 'not_reachable', textInstead } : null;
  const changes = withSiblings([{ before, after, stop }], [before, held], now);
  return changes.find((change) => change.after.id === held.id)?.after ?? held;
}

describe('the text that stands in for a WhatsApp message', () => {
  const fallback = lockedSend({
    id: 'fallback',
    channel: 'sms',
    state: 'held',
    fallback_of: 'changed',
    charged: false,
  });
  const whatsapp = { channel: 'whatsapp' } as const;

  test('waits five minutes from the call for a status', () => {
    const deadline = later(called, 5 * MINUTE);
    expect(follow({ ...whatsapp, state: 'accepted' }, fallback)).toMatchObject({
      state: 'held',
      due_at: deadline,
    });
    expect(follow({ ...whatsapp, state: 'failed', reason: OUTCOME_UNKNOWN }, fallback)).toMatchObject({
      due_at: deadline,
    });
  });

  test('is due at once when WhatsApp proved undeliverable, or cannot carry the message', () => {
    expect(follow({ ...whatsapp, state: 'failed' }, fallback).due_at).toEqual(now);
    expect(follow({ ...whatsapp, state: 'rejected' }, fallback).due_at).toEqual(now);
    expect(follow({ ...whatsapp, state: 'skipped', reason: 'not_reachable' }, fallback, true).due_at).toEqual(
      now,
    );
  });

  test('is cancelled when WhatsApp arrived, or a rule stopped it', () => {
    expect(follow({ ...whatsapp, state: 'delivered' }, fallback)).toMatchObject({
      state: 'cancelled',
      reason: 'whatsapp_sufficed',
    });
    expect(follow({ ...whatsapp, state: 'read' }, fallback).reason).toBe('whatsapp_sufficed');
    expect(follow({ ...whatsapp, state: 'skipped', reason: 'stopped' }, fallback)).toMatchObject({
      state: 'cancelled',
      reason: 'not_needed',
    });
    expect(follow({ ...whatsapp, state: 'cancelled', reason: 'opened_first' }, fallback).reason).toBe(
      'opened_first',
    );
  });

  test('does not mind another WhatsApp message, nor one that is tried again', () => {
    expect(follow({ ...whatsapp, state: 'failed' }, { ...fallback, fallback_of: 'other' }).due_at).toBeNull();
    expect(follow({ ...whatsapp, state: 'queued' }, fallback).due_at).toBeNull();
  });
});

describe('what waits for an email to go out', () => {
  const armed = lockedSend({
    id: 'armed',
    channel: 'sms',
    state: 'held',
    escalate_minutes: 20,
    charged: false,
  });

  test('counts its minutes anew from the email', () => {
    expect(follow({ state: 'accepted' }, armed).due_at).toEqual(later(called, 20 * MINUTE));
  });

  test.each(['failed', 'rejected', 'skipped', 'cancelled'] as const)(
    'goes at once when the email is %s',
    (state) => {
      expect(follow({ state }, armed).due_at).toEqual(now);
    },
  );

  test('keeps a deadline that has not come yet', () => {
    const due = later(now, MINUTE);
    expect(follow({ state: 'accepted' }, { ...armed, due_at: due }).due_at).toEqual(due);
  });

  test('counts them from the email of a later push when that one took its place', () => {
    const newer = { state: 'accepted', created_at: later(now, MINUTE) } as const;
    expect(follow(newer, armed).due_at).toEqual(later(called, 20 * MINUTE));
  });
});
