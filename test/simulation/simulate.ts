import { auditSimulation } from './audit.ts';
import { heal } from './heal.ts';
import * as merchants from './merchants.ts';
import * as operators from './operators.ts';
import * as orders from './orderRequests.ts';
import * as persons from './recipients.ts';
import { Simulation } from './simulation.ts';
import { callsFromStore } from './storeCalls.ts';
import type { TestBed } from './testBed.ts';

export interface SimulationResult {
  seed: number;
  failures: string[];
  trace: string[];
  counts: ReadonlyMap<string, number>;
  steps: number;
}

const FEWEST_ACTIONS = 10;
const MOST_ACTIONS = 20;
const MOST_FAULTS = 7;
const MOST_AT_ONCE = 6;
/** With fewer idle connections no new work starts, as when a pool is exhausted. */
const CROWDED = 14;
const TURNS_AFTERWARDS = 50;

/** Runs one seed to its end: faults first, then healing, then the audit. */
export async function simulate(stage: TestBed, seed: number): Promise<SimulationResult> {
  const simulation = new Simulation(stage, seed);
  try {
    await simulation.setUp();
    await runWithFaults(simulation);
    if (simulation.failures.length === 0) await heal(simulation);
    if (simulation.failures.length === 0) await auditSimulation(simulation);
  } catch (error) {
    simulation.fail(`the simulation itself failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await simulation.end();
  const { failures, trace, counts } = simulation;
  return { seed, failures, trace, counts, steps: trace.length };
}

async function runWithFaults(simulation: Simulation): Promise<void> {
  const { random, scheduler } = simulation;
  scheduler.faultsLeft = random.below(MOST_FAULTS + 1);
  let actions = FEWEST_ACTIONS + random.below(MOST_ACTIONS - FEWEST_ACTIONS);
  for (let turns = TURNS_AFTERWARDS; turns > 0 && simulation.failures.length === 0; ) {
    const crowded = simulation.testBed.connections.left() < CROWDED;
    const mayAct = actions > 0 && simulation.underWay.length < MOST_AT_ONCE && !crowded;
    const stalled = simulation.processes.filter((process) => process.stalled);
    const turn = random.weighted<() => Promise<unknown>>([
      [scheduler.runnable > 0 ? 40 : 0, () => scheduler.step()],
      [mayAct ? (scheduler.runnable > 0 ? 4 : 12) : 0, () => act(simulation, --actions)],
      [crowded ? 0 : 9, () => simulation.stepOutbox(simulation.anyProcess())],
      [crowded ? 0 : 3, () => simulation.stepWebhooks(simulation.anyProcess())],
      [crowded ? 0 : 3, () => simulation.stepProjector(simulation.anyProcess())],
      [crowded ? 0 : 4, () => simulation.stepStores(simulation.anyProcess())],
      [
        simulation.providers.pendingReports.length > 0 && !crowded ? 3 : 0,
        () => persons.deliverReport(simulation),
      ],
      [simulation.unanswered.length > 0 ? 3 : 0, () => askAgain(simulation)],
      [
        simulation.redeliveries.length > 0 ? 2 : 0,
        () => simulation.redeliveries.shift()?.() ?? Promise.resolve(),
      ],
      [1.2, () => passTime(simulation)],
      [stalled.length === 0 ? 0.3 : 0, () => stall(simulation)],
      [stalled.length > 0 ? 2 : 0, () => resume(simulation)],
    ]);
    if (actions === 0) turns -= 1;
    await turn();
  }
}

async function askAgain(simulation: Simulation): Promise<void> {
  const request = simulation.unanswered.shift();
  if (request) await merchants.sendRequest(simulation, request);
}

async function act(simulation: Simulation, left: number): Promise<void> {
  const ask = async (request: merchants.MerchantRequest | null): Promise<void> => {
    if (!request) return;
    simulation.count(`asked: ${request.scope}`);
    await merchants.sendRequest(simulation, request);
    // Impatient programs do not wait for the response.
    if (request.key !== null && simulation.random.chance(0.15))
      await merchants.sendRequest(simulation, request);
  };
  // Without messages a fault has no effect.
  const action = simulation.random.weighted<() => Promise<void>>([
    [
      simulation.snapshot.messages.length < 3 && left > 5 ? 200 : 40,
      () => ask(merchants.pushRequestOf(simulation)),
    ],
    [4, () => ask(merchants.batchRequest(simulation))],
    [28, () => reportTracking(simulation, ask)],
    [40, () => callsFromStore(simulation)],
    [4, () => ask(orders.putShipmentRequest(simulation))],
    [3, () => ask(orders.readOrderRequest(simulation))],
    [7, () => ask(merchants.retractRequest(simulation))],
    [7, () => ask(merchants.resendSmsRequest(simulation))],
    [5, () => ask(merchants.resendWhatsappRequest(simulation))],
    [4, () => ask(merchants.setPhoneRequest(simulation))],
    [3, () => ask(merchants.clearPhoneRequest(simulation))],
    [5, () => ask(merchants.eraseRequest(simulation))],
    [2, () => ask(merchants.eraseWhatsappRequest(simulation))],
    [12, () => ask(merchants.revokeKeyRequest(simulation))],
    [10, () => operators.mintKeyOf(simulation)],
    [7, () => persons.sendInboundSms(simulation, 'STOP')],
    [4, () => persons.sendInboundSms(simulation, 'START')],
    [3, () => persons.sendInboundWhatsapp(simulation, 'STOP')],
    [6, () => persons.sendInboundWhatsapp(simulation, 'Where is it?')],
    [9, () => persons.openAnyMessage(simulation)],
    [25, () => persons.openInInbox(simulation)],
    [
      merchants.readUpdateables(simulation).length > 0 ? 150 : 0,
      () => ask(merchants.updateRequestOf(simulation)),
    ],
    [5, () => persons.changeChoice(simulation, 'stopTexts')],
    [2, () => persons.changeChoice(simulation, 'resumeTexts')],
    [2, () => persons.changeChoice(simulation, 'stopWhatsapp')],
    [2, () => persons.changeChoice(simulation, 'unsubscribe')],
    [12, () => operators.changeAnySetting(simulation)],
    [4, () => operators.addCredits(simulation)],
    [3, () => operators.stopAnyRecipient(simulation)],
    [4, () => operators.runHousekeeping(simulation)],
  ]);
  await action();
}

/** Carriers report several things at once, and some of them twice. */
async function reportTracking(
  simulation: Simulation,
  ask: (request: merchants.MerchantRequest) => Promise<void>,
): Promise<void> {
  for (let left = 1 + simulation.random.below(3); left > 0; left -= 1)
    await ask(orders.trackingRequest(simulation));
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

async function passTime(simulation: Simulation): Promise<void> {
  const wait = simulation.random.weighted([
    [16, 200],
    [10, 2 * SECOND],
    [4, 12 * SECOND],
    [4, 35 * SECOND],
    [4, 65 * SECOND],
    [3, 5 * MINUTE],
    [1, 40 * MINUTE],
    [0.3, 13 * 60 * MINUTE],
    [0.2, 25 * 60 * MINUTE],
  ]);
  simulation.note(`${wait / SECOND} s pass`);
  simulation.clock.advance(wait);
  await simulation.fireTimers();
}

async function stall(simulation: Simulation): Promise<void> {
  const process = simulation.anyProcess();
  process.stalled = true;
  simulation.count('stalled');
  simulation.note(`${process.name} stands still`);
}

async function resume(simulation: Simulation): Promise<void> {
  for (const process of simulation.processes) process.stalled = false;
  simulation.note('all processes go on');
  await simulation.fireTimers();
}
