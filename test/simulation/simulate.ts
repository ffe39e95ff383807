import { audit } from './audit.ts';
import { heal } from './heal.ts';
import * as merchants from './merchants.ts';
import * as operators from './operators.ts';
import * as persons from './persons.ts';
import type { Stage } from './stage.ts';
import { World } from './world.ts';

export interface Outcome {
  seed: number;
  failures: string[];
  trace: string[];
  counts: ReadonlyMap<string, number>;
  deeds: number;
}

const FEWEST_ACTIONS = 9;
const MOST_ACTIONS = 18;
const MOST_FAULTS = 7;
const MOST_AT_ONCE = 6;
/** So few connections are left that nothing new begins, as when a pool is used up. */
const CROWDED = 14;
const TURNS_AFTERWARDS = 50;

/** Plays one seed to its end: trouble first, then healing, then the books are checked. */
export async function simulate(stage: Stage, seed: number): Promise<Outcome> {
  const world = new World(stage, seed);
  try {
    await world.setUp();
    await trouble(world);
    if (world.failures.length === 0) await heal(world);
    if (world.failures.length === 0) await audit(world);
  } catch (error) {
    world.fail(`the simulation itself failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await world.end();
  const { failures, trace, counts } = world;
  return { seed, failures, trace, counts, deeds: trace.length };
}

async function trouble(world: World): Promise<void> {
  const { random, scheduler } = world;
  scheduler.faultsLeft = random.below(MOST_FAULTS + 1);
  let actions = FEWEST_ACTIONS + random.below(MOST_ACTIONS - FEWEST_ACTIONS);
  for (let turns = TURNS_AFTERWARDS; turns > 0 && world.failures.length === 0; ) {
    const crowded = world.stage.hands.left() < CROWDED;
    const mayAct = actions > 0 && world.underWay.length < MOST_AT_ONCE && !crowded;
    const stalled = world.processes.filter((process) => process.stalled);
    const turn = random.weighted<() => Promise<unknown>>([
      [scheduler.runnable > 0 ? 40 : 0, () => scheduler.step()],
      [mayAct ? (scheduler.runnable > 0 ? 4 : 12) : 0, () => act(world, --actions)],
      [crowded ? 0 : 9, () => world.stepOutbox(world.anyProcess())],
      [crowded ? 0 : 3, () => world.stepWebhooks(world.anyProcess())],
      [world.journal.reports.length > 0 && !crowded ? 3 : 0, () => persons.reports(world)],
      [world.owed.length > 0 ? 3 : 0, () => askAgain(world)],
      [world.later.length > 0 ? 2 : 0, () => world.later.shift()?.() ?? Promise.resolve()],
      [1.2, () => passTime(world)],
      [stalled.length === 0 ? 0.3 : 0, () => stall(world)],
      [stalled.length > 0 ? 2 : 0, () => resume(world)],
    ]);
    if (actions === 0) turns -= 1;
    await turn();
  }
}

async function askAgain(world: World): Promise<void> {
  const request = world.owed.shift();
  if (request) await merchants.ask(world, request);
}

async function act(world: World, left: number): Promise<void> {
  const ask = async (request: merchants.Asked | null): Promise<void> => {
    if (!request) return;
    world.count(`asked: ${request.scope}`);
    await merchants.ask(world, request);
    // Impatient programs do not wait for the answer.
    if (request.key !== null && world.random.chance(0.15)) await merchants.ask(world, request);
  };
  // Without messages there is nothing to have trouble with.
  const action = world.random.weighted<() => Promise<void>>([
    [world.snapshot.messages.length < 3 && left > 5 ? 200 : 40, () => ask(merchants.push(world))],
    [4, () => ask(merchants.batch(world))],
    [7, () => ask(merchants.retract(world))],
    [7, () => ask(merchants.resendSms(world))],
    [5, () => ask(merchants.resendWhatsapp(world))],
    [4, () => ask(merchants.setPhone(world))],
    [3, () => ask(merchants.clearPhone(world))],
    [5, () => ask(merchants.erase(world))],
    [2, () => ask(merchants.eraseWhatsapp(world))],
    [9, () => ask(merchants.revokeKey(world))],
    [10, () => operators.mintsKey(world)],
    [7, () => persons.texts(world, 'STOP')],
    [4, () => persons.texts(world, 'START')],
    [3, () => persons.writes(world, 'STOP')],
    [4, () => persons.writes(world, 'Where is it?')],
    [9, () => persons.opens(world)],
    [5, () => persons.chooses(world, 'stopTexts')],
    [2, () => persons.chooses(world, 'resumeTexts')],
    [2, () => persons.chooses(world, 'stopWhatsapp')],
    [2, () => persons.chooses(world, 'unsubscribe')],
    [7, () => operators.changesSettings(world)],
    [4, () => operators.addsCredits(world)],
    [3, () => operators.stopsRecipient(world)],
    [4, () => operators.housekeeping(world)],
  ]);
  await action();
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

async function passTime(world: World): Promise<void> {
  const wait = world.random.weighted([
    [16, 200],
    [10, 2 * SECOND],
    [4, 12 * SECOND],
    [4, 35 * SECOND],
    [4, 65 * SECOND],
    [3, 5 * MINUTE],
    [1, 40 * MINUTE],
    [0.2, 25 * 60 * MINUTE],
  ]);
  world.note(`${wait / SECOND} s pass`);
  world.clock.advance(wait);
  await world.fireTimers();
}

async function stall(world: World): Promise<void> {
  const process = world.anyProcess();
  process.stalled = true;
  world.count('stalled');
  world.note(`${process.name} stands still`);
}

async function resume(world: World): Promise<void> {
  for (const process of world.processes) process.stalled = false;
  world.note('all processes go on');
  await world.fireTimers();
}
