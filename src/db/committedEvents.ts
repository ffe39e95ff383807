import type { Pool } from './pool.ts';
import type { Queryable } from './statement.ts';

/*
 * Which businesses a transaction wrote events of, for the calls that wait for them. A transaction reports this itself after
 * its commit: so no writer of events can forget it, and nothing is reported that was rolled back.
 */

type Listener = (businessIds: ReadonlySet<string>) => void;

const listeners = new WeakMap<object, Listener>();
/** By the connection of a transaction in progress. */
const notes = new WeakMap<object, Set<string>>();

/** Calls `listener` after each commit of the pool that wrote events. One listener per pool. */
export function onEventsCommitted(pool: Pool, listener: Listener): void {
  listeners.set(pool, listener);
}

/** Notes that the transaction writes events of these businesses. */
export function recordEventBusinesses(tx: Queryable, events: readonly { businessId: string }[]): void {
  if (events.length === 0) return;
  const noted = notes.get(tx) ?? new Set();
  for (const { businessId } of events) noted.add(businessId);
  notes.set(tx, noted);
}

/** Ends the notes of a transaction: reported if it was committed. */
export function flushCommitListeners(pool: Pool, tx: Queryable, end: 'committed' | 'rolled back'): void {
  const noted = notes.get(tx);
  if (noted === undefined) return;
  notes.delete(tx);
  if (end === 'committed') listeners.get(pool)?.(noted);
}
