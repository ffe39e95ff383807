import { type EmailFate, movedDeadline, textAfter, type WhatsappFate } from '../nudges/escalation.ts';
import type { LockedSend } from './lockSql.ts';
import { keyText, type Send } from './send.ts';
import { NOT_NEEDED, OPENED_FIRST, OUTCOME_UNKNOWN, WHATSAPP_SUFFICED } from './states.ts';
import type { SendTransition } from './transition.ts';

/**
 * Adds the transitions that changed sends cause in held sends of the same messages: the fallback text of a WhatsApp
 * message, and an escalation that waits for its email. `concerned` are all locked sends of those messages; `textInstead`
 * are the WhatsApp sends that were stopped because WhatsApp cannot carry them.
 */
export function withSiblings(
  changes: readonly SendTransition[],
  concerned: readonly LockedSend[],
  now: Date,
  textInstead: ReadonlySet<string> = new Set(),
): SendTransition[] {
  const all = new Map(changes.map((change) => [keyText(change.after), change]));
  const held = concerned.filter(({ state }) => state === 'held');
  if (held.length === 0) return [...changes];
  for (const { before, after } of changes) {
    if (before === after) continue;
    for (const sibling of held.filter((other) => messageOf(other) === messageOf(after))) {
      const current = all.get(keyText(sibling))?.after ?? sibling;
      const next = siblingAfter(after, current, now, textInstead.has(keyText(after)));
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
  const fate = whatsappFate(whatsapp, textInstead);
  const at = textAfter(fate, whatsapp.submitted_at ?? now, now);
  if (at === 'unchanged') return held;
  if (at === 'not_needed') return cancelled(held, whyNoFallback(whatsapp, fate), now);
  return { ...held, due_at: at, lease: null };
}

function whyNoFallback({ reason }: LockedSend, fate: WhatsappFate): string {
  if (fate === 'arrived') return WHATSAPP_SUFFICED;
  return reason === OPENED_FIRST ? OPENED_FIRST : NOT_NEEDED;
}

function whatsappFate({ state, reason }: LockedSend, textInstead: boolean): WhatsappFate {
  switch (state) {
    case 'held':
    case 'queued':
    case 'submitting':
      return 'under_way';
    case 'accepted':
      return 'no_status';
    case 'failed':
      return reason === OUTCOME_UNKNOWN ? 'no_status' : 'undeliverable';
    case 'rejected':
      return 'undeliverable';
    case 'delivered':
    case 'read':
      return 'arrived';
    case 'skipped':
    case 'cancelled':
      return textInstead ? 'undeliverable' : 'stopped';
  }
}

/** Any email of the message: that of a later push has taken the place of the one that the escalation waits for. */
function escalationAfter(email: LockedSend, held: LockedSend, minutes: number, now: Date): LockedSend {
  const fate = emailFate(email);
  if (fate === 'waiting') return held;
  return { ...held, due_at: movedDeadline(fate, minutes, email.submitted_at ?? now, now), lease: null };
}

export function emailFate({ state }: Pick<Send, 'state'>): EmailFate {
  if (state === 'held' || state === 'queued' || state === 'submitting') return 'waiting';
  return state === 'accepted' || state === 'delivered' || state === 'read' ? 'out' : 'over';
}

/** Cancels a waiting send. Clearing `reserved` and `charged` returns its credits. */
export const cancelled = (send: LockedSend, reason: string, now: Date): LockedSend => ({
  ...send,
  state: 'cancelled',
  reason,
  due_at: null,
  lease: null,
  reserved: false,
  charged: false,
  last_status_at: now,
});
