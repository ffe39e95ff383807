import * as merchants from './merchants.ts';
import * as persons from './persons.ts';
import type { World } from './world.ts';

const ROUNDS = 300;
/** Longer than any lease. */
const A_LEASE_MS = 31_000;

/** Rounds in which things still go wrong, although nothing new is asked for. */
const ROUNDS_OF_TWILIGHT = 6;

/** What is due is done, with fewer and fewer faults and then none, until nothing is due any more. */
export async function heal(world: World): Promise<void> {
  world.note('healing');
  for (const process of world.processes) process.stalled = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round === ROUNDS_OF_TWILIGHT) {
      world.healing = true;
      world.scheduler.faultsLeft = 0;
    }
    await world.fireTimers();
    await world.settle();
    await finishWhatIsOwed(world);
    await world.stepOutbox(world.anyProcess());
    await world.settle();
    await world.stepWebhooks(world.anyProcess());
    await world.settle();
    if (world.failures.length > 0) return;
    const next = await nextDue(world);
    if (next === null && round > ROUNDS_OF_TWILIGHT) return;
    if (next === null) continue;
    world.clock.advance(Math.max(1, next - world.clock.now().getTime()));
  }
  world.fail('it did not come to rest');
}

/** Whoever had no answer asks again, until they have one. */
export async function finishWhatIsOwed(world: World): Promise<void> {
  const { owed, later, journal } = world;
  while (owed.length > 0 || later.length > 0 || journal.reports.length > 0) {
    const request = owed.shift();
    if (request) await merchants.ask(world, request);
    await later.shift()?.();
    if (journal.reports.length > 0) await persons.reports(world);
    await world.settle();
    if (world.failures.length > 0) return;
  }
}

/** When anything happens next by itself; null: never. */
async function nextDue(world: World): Promise<number | null> {
  const { rows } = await world.stage.hands.monitor.query<{ at: Date | null }>(
    `select least((select min(due_at) from sends), (select min(due_at) from webhook_deliveries)) as at`,
  );
  const now = world.clock.now().getTime();
  const due = rows[0]?.at?.getTime() ?? null;
  const timer = world.clock.nextTimer()?.getTime() ?? null;
  const times = [due === null ? null : due <= now ? now + A_LEASE_MS : due, timer].filter(
    (at) => at !== null,
  );
  return times.length === 0 ? null : Math.min(...times);
}
