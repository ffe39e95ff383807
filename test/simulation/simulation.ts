import { IDEMPOTENCY_MEMORY_MS } from '../../src/config/limits.ts';
import type { Log } from '../../src/kit/log.ts';
import type { AnyOutbound } from '../../src/providers/provider.ts';
import { addBusiness, type SimulatedBusiness } from './businesses.ts';
import { countedChanges } from './countedChanges.ts';
import { violatedInvariants } from './invariants.ts';
import type { MerchantRequest } from './merchants.ts';
import { updateModelFromPermits, updateModelFromRecords, updateModelFromRefusals } from './modelUpdates.ts';
import { discardPooledIds, environmentOf } from './processEnvironment.ts';
import { Random } from './random.ts';
import { type ProcessTask, processTaskOf, SimulatedProcess, SimulationScheduler } from './scheduler.ts';
import { currentTask, runInTask, tasksIdle } from './simulatedGlobals.ts';
import { SimulatedProviders } from './simulatedProviders.ts';
import { SimulatedReceivers } from './simulatedReceivers.ts';
import { createSimulatedService, type SimulatedService } from './simulatedService.ts';
import { type CommittedState, EMPTY_STATE, takeSnapshot } from './snapshot.ts';
import type { TestBed } from './testBed.ts';
import { UsageInvariant } from './usageInvariants.ts';
import { VirtualClock } from './virtualClock.ts';

/** A task in progress; `lost` when its process dies before the end. */
interface Underway {
  work: ProcessTask;
  lost: () => void;
}

const SETTLING_STEPS = 5_000;
/** Few, since the eight attempts per event take long. */
const DEAD_RECEIVERS = 0.06;

/** The state of one seed: processes, providers, receivers, people, merchants and their invariants. */
export class Simulation {
  readonly testBed: TestBed;
  readonly random: Random;
  readonly clock = new VirtualClock();
  readonly scheduler: SimulationScheduler;
  readonly providers: SimulatedProviders;
  readonly receivers: SimulatedReceivers;
  readonly businesses: SimulatedBusiness[] = [];
  readonly counts = new Map<string, number>();
  readonly trace: string[] = [];
  readonly failures: string[] = [];
  /** Paths of endpoints that always fail. */
  readonly deadEndpoints = new Set<string>();
  /** Of the endpoints, by path. */
  readonly secrets = new Map<string, string>();
  /** The effect on the model when the response to a keyed request is stored, by business, scope and key. */
  readonly onStoredResponse = new Map<string, (response: string) => void>();
  /** The responses of pushes, in the order in which each process decided them. */
  readonly decided: { process: SimulatedProcess; response: string }[] = [];
  /** Of tracking events, by business, scope and key: their places in the order in which they were received. */
  readonly placeOf = new Map<string, () => number>();
  /** Stored replies, including those erased since. */
  readonly repliesSeen = new Set<string>();
  /** Requests without a response, to be retried. */
  readonly unanswered: MerchantRequest[] = [];
  /** Callbacks to be sent again. */
  readonly redeliveries: (() => Promise<void>)[] = [];
  snapshot: CommittedState = EMPTY_STATE;
  /** How many commits changed anything. */
  commits = 0;
  erasures = 0;
  healing = false;
  processes: SimulatedProcess[] = [];
  underWay: Underway[] = [];
  readonly #ids: Random;
  readonly #services = new Map<SimulatedProcess, SimulatedService>();
  readonly #spentOnErased = new Map<string, number>();
  readonly #usage = new UsageInvariant();
  #born = 0;
  #numbers = 0;
  /** Whether a fault occurred that the product may log as an error. */
  #troubled = false;

  constructor(stage: TestBed, seed: number) {
    this.testBed = stage;
    this.random = new Random(seed);
    this.#ids = new Random(seed, 1);
    const count = (what: string): void => this.count(what);
    const scheduler = (): SimulationScheduler => this.scheduler;
    const healing = (): boolean => this.healing;
    this.providers = new SimulatedProviders({
      random: this.random,
      scheduler,
      count,
      healing,
      onCall: (message) => this.#mayBeCalled(message),
    });
    this.receivers = new SimulatedReceivers({
      random: this.random,
      scheduler,
      count,
      healing,
      secretOf: (path) => this.secrets.get(path) ?? '',
      isDead: (path) => this.deadEndpoints.has(path),
    });
    this.scheduler = new SimulationScheduler({
      random: this.random,
      clock: this.clock,
      monitor: stage.connections.monitor,
      trace: (line) => this.note(line),
      count: (what) => {
        if (/^(crash|lost|deadlock)/.test(what)) this.#troubled = true;
        count(what);
      },
      onCommit: (work) => this.#committed(work),
      onCrash: (process) => this.#replace(process),
    });
  }

  note(line: string): void {
    this.trace.push(`${String(this.clock.elapsedMs).padStart(9)} ${line}`);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** For unique names. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  fail(sentence: string): void {
    this.note(`!! ${sentence}`);
    this.failures.push(sentence);
  }

  currentService(): SimulatedService {
    const service = this.#services.get(processTaskOf(currentTask()).process);
    if (!service) throw new Error('a process without a service');
    return service;
  }

  readonly log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields, message) => {
      this.note(`  logged: ${message}: ${String(fields.error)}`);
      if (!this.#troubled) this.fail(`logged without any fault: ${message}: ${String(fields.error)}`);
    },
  };

  async setUp(): Promise<void> {
    await this.testBed.clear(this);
    discardPooledIds(this.#ids, this.clock);
    for (const name of ['A', 'B']) this.#start(name);
    for (const credits of [this.random.below(9), 2 + this.random.below(5)]) await addBusiness(this, credits);
    const [first] = this.businesses;
    if (first && this.random.chance(DEAD_RECEIVERS)) this.deadEndpoints.add(`/${first.id}`);
    this.snapshot = await takeSnapshot(this.testBed.connections.monitor, EMPTY_STATE);
  }

  /** An erasure deletes the stored responses about the person. */
  erasedSince(_request: MerchantRequest): boolean {
    return this.erasures > 0 || this.clock.elapsedMs > IDEMPOTENCY_MEMORY_MS;
  }

  /** Runs some work of a process; `effect` is its effect on the model once it has committed. */
  async start(
    name: string,
    process: SimulatedProcess,
    run: () => Promise<void>,
    options: { effect?: () => void; lost?: () => void } = {},
  ): Promise<void> {
    const work: ProcessTask = {
      name,
      process,
      effect: options.effect ?? null,
      environment: environmentOf(process, this.#ids, this.clock),
    };
    const underway = { work, lost: options.lost ?? (() => {}) };
    this.underWay.push(underway);
    await this.scheduler.begin(work, async () => {
      try {
        await run();
      } catch (error) {
        if (!isConnectionLoss(error)) this.fail(`${name} failed: ${String(error)}`);
        else underway.lost();
      }
      this.underWay = this.underWay.filter((one) => one !== underway);
    });
  }

  /** A process that is neither dead nor suspended. */
  anyProcess(): SimulatedProcess {
    return this.random.pick(this.processes.filter(({ stalled }) => !stalled));
  }

  serviceOf(process: SimulatedProcess): SimulatedService {
    const service = this.#services.get(process);
    if (!service) throw new Error('a process without a service');
    return service;
  }

  /** Runs all work in progress until only timers are left. */
  async settle(): Promise<void> {
    for (let steps = 0; this.scheduler.waiting > 0; steps += 1) {
      if (steps > SETTLING_STEPS) throw new Error('the simulation does not come to rest');
      await this.scheduler.step();
      if (this.failures.length > 0) return;
    }
  }

  /** Fires due timers in their order. */
  async fireTimers(): Promise<void> {
    for (let callback = this.clock.takeDue(); callback; callback = this.clock.takeDue()) {
      callback();
      await tasksIdle();
    }
  }

  /** One poll of the outbox; a process runs one at a time, as its loop does. */
  stepOutbox(process: SimulatedProcess): Promise<void> {
    return this.#look(process, 'outbox', (service) => service.outbox.step());
  }

  stepWebhooks(process: SimulatedProcess): Promise<void> {
    return this.#look(process, 'webhooks', (service) => service.webhooks.step());
  }

  stepProjector(process: SimulatedProcess): Promise<void> {
    return this.#look(process, 'orders', (service) => service.applyOrderChanges());
  }

  stepStores(process: SimulatedProcess): Promise<void> {
    return this.#look(process, 'stores', (service) => service.handleStoreCalls());
  }

  async #look(
    process: SimulatedProcess,
    name: string,
    step: (service: SimulatedService) => Promise<boolean>,
  ): Promise<void> {
    if (this.underWay.some(({ work }) => work.process === process && work.name === name)) return;
    await this.start(name, process, async () => {
      await step(this.serviceOf(process));
    });
  }

  /** Stops all work of this simulation. */
  async end(): Promise<void> {
    for (const process of [...this.processes]) {
      this.#services.delete(process);
      await this.scheduler.crash(process);
    }
    for (const process of [...this.processes]) process.alive = false;
  }

  #start(name: string): void {
    this.#born += 1;
    const process = new SimulatedProcess(`${name}${this.#born}`);
    this.processes.push(process);
    const service = (): SimulatedService =>
      createSimulatedService({
        pool: this.testBed.pool,
        clock: this.clock,
        log: this.log,
        hash: this.testBed.hash,
        sealer: this.testBed.sealer,
        providers: this.providers.byChannel,
        receivers: this.receivers,
        random: () => this.random.next(),
        onDecided: (response) => this.decided.push({ process, response }),
      });
    this.#services.set(
      process,
      runInTask({ name: 'starts', environment: environmentOf(process, this.#ids, this.clock) }, service),
    );
  }

  #replace(process: SimulatedProcess): void {
    this.processes = this.processes.filter((one) => one !== process);
    this.#services.delete(process);
    const lost = this.underWay.filter(({ work }) => work.process === process);
    this.underWay = this.underWay.filter(({ work }) => work.process !== process);
    this.#start(process.name.slice(0, 1));
    for (const one of lost) one.lost();
  }

  async #committed(work: ProcessTask): Promise<void> {
    const before = this.snapshot;
    const after = await takeSnapshot(this.testBed.connections.monitor, before);
    this.snapshot = after;
    this.commits += 1;
    if (this.businesses.length < 2) return;
    work.effect?.();
    work.effect = null;
    if (after === before) return;
    updateModelFromPermits(this, before, after);
    updateModelFromRecords(this, work.process, before, after);
    updateModelFromRefusals(this, after);
    for (const what of countedChanges(before, after)) this.count(what);
    const wrong = violatedInvariants({
      before,
      after,
      now: this.clock.now(),
      providers: this.providers,
      businesses: this.businesses,
      hashOf: (number) => this.testBed.hash('phone', number).toString('hex'),
      spentOnErased: this.#spentOnErased,
    });
    for (const sentence of wrong) this.fail(sentence);
    for (const sentence of await this.#usage.violations(this.testBed.connections.monitor, before, after))
      this.fail(sentence);
  }

  /** A call at a provider belongs to an attempt with a committed permit, or to a person erased since. */
  #mayBeCalled({ sendId, attempt, channel }: AnyOutbound): void {
    const earlier = this.providers.callsOf(sendId);
    if (earlier.some(({ taken }) => taken)) this.fail(`${channel} send ${sendId} is submitted a second time`);
    const send = this.snapshot.sends.find(({ id }) => id === sendId);
    if (send && send.attempts < attempt)
      this.fail(`${channel} send ${sendId} is called for attempt ${attempt} without a permit`);
  }
}

const isConnectionLoss = (error: unknown): boolean =>
  error instanceof Error && /connection terminated|deadlock detected/i.test(error.message);
