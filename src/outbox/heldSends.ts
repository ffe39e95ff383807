import { lockAccounts } from '../businesses/billingSql.ts';
import type { Client } from '../db/pool.ts';
import type { Hasher } from '../kit/seal.ts';
import { atDeadline, isUnread } from '../nudges/escalation.ts';
import type { StopReason } from '../nudges/gates.ts';
import { type Facts, loadFacts } from './facts.ts';
import { lockAll, stillClaimed } from './lock.ts';
import type { LockedSend } from './lockSql.ts';
import { NO_CAPS, RunningBalances, whyStopped } from './runningBalances.ts';
import { businessesOf, type SendTarget } from './send.ts';
import { cancelled, emailStatus, unsent, withSiblings } from './siblings.ts';
import { OPENED_FIRST } from './states.ts';
import {
  applyTransitions,
  deferred,
  makesDue,
  type SendTransition,
  type TransitionResult,
} from './transition.ts';

/**
 * Decides held sends that are due: escalations of unread messages, and fallbacks for undeliverable WhatsApp messages. Each
 * send passes the gates again; if none refuses it, its credits are reserved and it is queued.
 */
export async function releaseHeldSends(
  tx: Client,
  hash: Hasher,
  claimed: readonly SendTarget[],
  lease: string,
  now: Date,
): Promise<TransitionResult> {
  const concerned = await lockAll(tx, claimed);
  const held = stillClaimed(concerned, claimed, lease, 'held');
  if (held.length === 0) return { deliveries: 0, due: false };

  const balances = new RunningBalances(await lockAccounts(tx, businessesOf(held)));
  const facts = await loadFacts(tx, hash, held, now);
  const released = held.map((send) => releaseHeld(send, concerned, facts, balances, now));
  const changes = withSiblings(released, concerned, now);
  return { deliveries: await applyTransitions(tx, changes, now), due: makesDue(changes, now) };
}

function releaseHeld(
  before: LockedSend,
  concerned: readonly LockedSend[],
  facts: Facts,
  balances: RunningBalances,
  now: Date,
): SendTransition & { stop: StopReason | null } {
  if (before.escalate_minutes !== null) {
    const verdict = atDeadline(isUnread(before), emailWaits(before, concerned) ? 'waiting' : 'out');
    if (verdict === 'not_needed') return { before, after: cancelled(before, OPENED_FIRST, now), stop: null };
    if (verdict === 'wait_for_email')
      return { before, after: { ...before, due_at: null, lease: null }, stop: null };
  }
  const quietUntil = facts.quietUntil(before);
  if (quietUntil !== null) return { ...deferred(before, quietUntil, now), stop: null };
  const priced: LockedSend = {
    ...before,
    credits: facts.price(before),
    country: before.phone_country ?? before.country,
  };
  const stop = whyStopped(priced, facts, balances, NO_CAPS);
  if (stop !== null) return { before, after: unsent(priced, 'skipped', stop.reason, now), stop };
  const after: LockedSend = {
    ...priced,
    state: 'queued',
    reserved: priced.credits > 0,
    due_at: now,
    lease: null,
  };
  balances.spend({ before, after });
  return { before, after, stop };
}

/** Whether the email of the same push, or of an earlier one, is not sent yet. */
const emailWaits = (held: LockedSend, concerned: readonly LockedSend[]): boolean =>
  concerned.some(
    (send) =>
      send.channel === 'email' &&
      send.business_id === held.business_id &&
      send.message_id === held.message_id &&
      send.created_at <= held.created_at &&
      emailStatus(send) === 'waiting',
  );
