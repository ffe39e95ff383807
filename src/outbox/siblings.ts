import { type EmailStatus, movedDeadline, textAfter, type WhatsappStatus } from '../nudges/escalation.ts';
import type { StopReason } from '../nudges/gates.ts';
import type { LockedSend } from './lockSql.ts';
import { keyText, type Send } from './send.ts';
import { isUnknown, isWaiting, NOT_NEEDED, OPENED_FIRST, WHATSAPP_SUFFICED } from './states.ts';
import type { SendTransition } from './transition.ts';

/**
 * Adds the transitions that changed sends cause in held sends of the same messages: the fallback text of a WhatsApp
 * message, and an escalation that waits for its email. `concerned` are all locked sends of those messages; `stop` says why a
 * gate stopped a send.
 */
export function withSiblings(
  changes: readonly (SendTransition & { stop?: StopReason | null })[],
  concerned: readonly LockedSend[],
  now: Date,
): SendTransition[] {
  const all = new Map<string, SendTransition>(changes.map((change) => [keyText(change.after), change]));
  const held = concerned.filter(({ state }) => state === 'held');
  if (held.length === 0) return [...changes];
  for (const { before, after, stop } of changes) {
    if (before === after) continue;
    for (const sibling of held.filter((other) => messageOf(other) === messageOf(after))) {
      const current = all.get(keyText(sibling))?.after ?? sibling;
      const next = siblingAfter(after, current, now, stop?.textInstead ?? false);
      if (next !== current) all.set(keyText(sibling), { before: sibling, after: next });
    }
  }
  return [...all.values()];
}

const messageOf = ({ business_id, message_id }: Send): string => `${business_id} ${message_id}`;

function siblingAfter(changed: LockedSend, held: LockedSend, now: Date, textInstead: boolean): LockedSend {
  if (held.state !== 'held') return held;
  if (changed.channel === 'whatsapp' && held.fallback_of === changed.id)
    return fallbackAfter(changed, held, now, textInstead);
  const waitsForEmail = held.escalate_minutes !== null && held.due_at === null;
  if (changed.channel === 'email' && waitsForEmail)
    return escalationAfter(changed, held, held.escalate_minutes ?? 0, now);
  return held;
}

function fallbackAfter(whatsapp: LockedSend, held: LockedSend, now: Date, textInstead: boolean): LockedSend {
  const status = whatsappStatus(whatsapp, textInstead);
  const at = textAfter(status, whatsapp.submitted_at ?? now, now);
  if (at === 'unchanged') return held;
  if (at === 'not_needed') return cancelled(held, whyNoFallback(whatsapp, status), now);
  return { ...held, due_at: at, lease: null };
}

function whyNoFallback({ reason }: LockedSend, status: WhatsappStatus): string {
  if (status === 'arrived') return WHATSAPP_SUFFICED;
  return reason === OPENED_FIRST ? OPENED_FIRST : NOT_NEEDED;
}

function whatsappStatus({ state, reason }: LockedSend, textInstead: boolean): WhatsappStatus {
  if (isWaiting(state) || state === 'submitting') return 'under_way';
  if (state === 'delivered' || state === 'read') return 'arrived';
  if (state === 'accepted' || isUnknown({ state, reason })) return 'no_status';
  if (state === 'failed' || state === 'rejected' || textInstead) return 'undeliverable';
  return 'stopped';
}

/** Any email of the message: that of a later push has taken the place of the one that the escalation waits for. */
function escalationAfter(email: LockedSend, held: LockedSend, minutes: number, now: Date): LockedSend {
  const status = emailStatus(email);
  if (status === 'waiting') return held;
  return { ...held, due_at: movedDeadline(status, minutes, email.submitted_at ?? now, now), lease: null };
}

export function emailStatus({ state }: Pick<Send, 'state'>): EmailStatus {
  if (isWaiting(state) || state === 'submitting') return 'waiting';
  return state === 'accepted' || state === 'delivered' || state === 'read' ? 'out' : 'over';
}

/** Ends a waiting send that does not go out. Clearing `reserved` and `charged` returns its credits. */
export const unsent = (send: LockedSend, state: 'skipped' | 'cancelled', reason: string, now: Date) => ({
  ...send,
  state,
  reason,
  due_at: null,
  lease: null,
  reserved: false,
  charged: false,
  last_status_at: now,
});

/** Ends those of the sends that still wait, with what that changes in other sends of their messages. */
export function endWaiting(
  sends: readonly LockedSend[],
  state: 'skipped' | 'cancelled',
  reason: string,
  concerned: readonly LockedSend[],
  now: Date,
): { ended: number; changes: SendTransition[] } {
  const changes = sends
    .filter((send) => isWaiting(send.state))
    .map((before) => ({ before, after: unsent(before, state, reason, now) }));
  return { ended: changes.length, changes: withSiblings(changes, concerned, now) };
}

export const cancelled = (send: LockedSend, reason: string, now: Date): LockedSend =>
  unsent(send, 'cancelled', reason, now);
