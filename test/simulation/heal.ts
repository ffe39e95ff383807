import * as merchants from './merchants.ts';
import * as persons from './recipients.ts';
import type { Simulation } from './simulation.ts';

const ROUNDS = 300;
/** Longer than any lease. */
const A_LEASE_MS = 31_000;

/** Rounds with faults but without new requests. */
const ROUNDS_OF_TWILIGHT = 6;

/** Runs due work, with fewer and fewer faults and then none, until nothing is due. */
export async function heal(simulation: Simulation): Promise<void> {
  simulation.note('healing');
  for (const process of simulation.processes) process.stalled = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round === ROUNDS_OF_TWILIGHT) {
      simulation.healing = true;
      simulation.scheduler.faultsLeft = 0;
    }
    await simulation.fireTimers();
    await simulation.settle();
    await retryUnanswered(simulation);
    await simulation.stepStores(simulation.anyProcess());
    await simulation.settle();
    await simulation.stepProjector(simulation.anyProcess());
    await simulation.settle();
    await simulation.stepOutbox(simulation.anyProcess());
    await simulation.settle();
    await simulation.stepWebhooks(simulation.anyProcess());
    await simulation.settle();
    if (simulation.failures.length > 0) return;
    const next = await nextDue(simulation);
    if (next === null && round > ROUNDS_OF_TWILIGHT && simulation.snapshot.order_changes.length === 0) return;
    if (next === null) continue;
    simulation.clock.advance(Math.max(1, next - simulation.clock.now().getTime()));
  }
  simulation.fail('it did not come to rest');
}

/** Repeats requests without a response until they have one. */
export async function retryUnanswered(simulation: Simulation): Promise<void> {
  const { unanswered: owed, redeliveries: later, providers: journal } = simulation;
  while (owed.length > 0 || later.length > 0 || journal.pendingReports.length > 0) {
    const request = owed.shift();
    if (request) await merchants.sendRequest(simulation, request);
    await later.shift()?.();
    if (journal.pendingReports.length > 0) await persons.deliverReport(simulation);
    await simulation.settle();
    if (simulation.failures.length > 0) return;
  }
}

/** The next due time or timer; null when there is none. */
async function nextDue(simulation: Simulation): Promise<number | null> {
  const { rows } = await simulation.testBed.connections.monitor.query<{ at: Date | null }>(
    `select least((select min(due_at) from sends), (select min(due_at) from webhook_deliveries),
       (select min(due_at) from connection_calls)) as at`,
  );
  const now = simulation.clock.now().getTime();
  const due = rows[0]?.at?.getTime() ?? null;
  const timer = simulation.clock.nextTimer()?.getTime() ?? null;
  const times = [due === null ? null : due <= now ? now + A_LEASE_MS : due, timer].filter(
    (at) => at !== null,
  );
  return times.length === 0 ? null : Math.min(...times);
}
