import { IDEMPOTENCY_MEMORY_MS } from '../../src/config/limits.ts';
import type { Log } from '../../src/kit/log.ts';
import type { AnyOutbound } from '../../src/providers/provider.ts';
import { type Business, openBusiness } from './businesses.ts';
import { happened } from './happened.ts';
import { type House, openHouse } from './house.ts';
import { Journal } from './journal.ts';
import { learnFromCarriers, learnFromPermits, learnFromRecords } from './learning.ts';
import type { Asked } from './merchants.ts';
import { brokenPromises } from './promises.ts';
import { Random } from './random.ts';
import { Receivers } from './receiver.ts';
import { Scheduler, SimulatedProcess, type Work, workOf } from './scheduler.ts';
import { currentStrand, onStrand, strandsAtRest } from './seams.ts';
import { NOTHING, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Stage } from './stage.ts';
import { drawAnew, surroundingsOf } from './surroundings.ts';
import { VirtualClock } from './virtualClock.ts';

/** Something under way; `lost` when its process dies before it has ended. */
interface Underway {
  work: Work;
  lost: () => void;
}

const SETTLING_STEPS = 5_000;
/** Eight attempts an event take their time. */
const DEAD_RECEIVERS = 0.03;

/** Everything of one seed: processes, providers, receivers, people and merchants, and what must be true of them. */
export class World {
  readonly stage: Stage;
  readonly random: Random;
  readonly clock = new VirtualClock();
  readonly scheduler: Scheduler;
  readonly journal: Journal;
  readonly receivers: Receivers;
  readonly businesses: Business[] = [];
  readonly counts = new Map<string, number>();
  readonly trace: string[] = [];
  readonly failures: string[] = [];
  /** Paths of endpoints that never answer well. */
  readonly deadEndpoints = new Set<string>();
  /** Of the endpoints, by their paths. */
  readonly secrets = new Map<string, string>();
  /** What the model learns when the answer to a keyed request is stored: by business, scope and key. */
  readonly onRecord = new Map<string, (response: string) => void>();
  /** Pushes that are not answered yet, in the order in which each process decides them. */
  readonly pushOrder: { process: SimulatedProcess; name: string }[] = [];
  /** Replies that were kept, those erased since included. */
  readonly repliesSeen = new Set<string>();
  /** Requests without an answer, to be made again. */
  readonly owed: Asked[] = [];
  /** What is told again. */
  readonly later: (() => Promise<void>)[] = [];
  snapshot: Snapshot = NOTHING;
  erasures = 0;
  healing = false;
  processes: SimulatedProcess[] = [];
  underWay: Underway[] = [];
  readonly #ids: Random;
  readonly #houses = new Map<SimulatedProcess, House>();
  readonly #spentOnErased = new Map<string, number>();
  #born = 0;
  #numbers = 0;
  /** Whether something happened that the product may log an error for. */
  #troubled = false;

  constructor(stage: Stage, seed: number) {
    this.stage = stage;
    this.random = new Random(seed);
    this.#ids = new Random(seed, 1);
    const count = (what: string): void => this.count(what);
    const scheduler = (): Scheduler => this.scheduler;
    const healing = (): boolean => this.healing;
    this.journal = new Journal({
      random: this.random,
      scheduler,
      count,
      healing,
      onCall: (message) => this.#mayBeCalled(message),
    });
    this.receivers = new Receivers({
      random: this.random,
      scheduler,
      count,
      healing,
      secretOf: (path) => this.secrets.get(path) ?? '',
      isDead: (path) => this.deadEndpoints.has(path),
    });
    this.scheduler = new Scheduler({
      random: this.random,
      clock: this.clock,
      monitor: stage.hands.monitor,
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

  /** For names that must not be given twice. */
  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  fail(sentence: string): void {
    this.note(`!! ${sentence}`);
    this.failures.push(sentence);
  }

  houseOfStrand(): House {
    const house = this.#houses.get(workOf(currentStrand()).process);
    if (!house) throw new Error('a process without a house');
    return house;
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
    await this.stage.clear(this);
    drawAnew(this.#ids, this.clock);
    for (const name of ['A', 'B']) this.#start(name);
    for (const credits of [this.random.below(9), 2 + this.random.below(5)]) await openBusiness(this, credits);
    const [first] = this.businesses;
    if (first && this.random.chance(DEAD_RECEIVERS)) this.deadEndpoints.add(`/${first.id}`);
    this.snapshot = await takeSnapshot(this.stage.hands.monitor, NOTHING);
  }

  /** Stored answers go with the person they are about. */
  erasedSince(_request: Asked): boolean {
    return this.erasures > 0 || this.clock.elapsedMs > IDEMPOTENCY_MEMORY_MS;
  }

  /** Runs some work of a process; `effect` is what the model learns once it has committed. */
  async start(
    name: string,
    process: SimulatedProcess,
    run: () => Promise<void>,
    options: { effect?: () => void; lost?: () => void } = {},
  ): Promise<void> {
    const work: Work = {
      name,
      process,
      effect: options.effect ?? null,
      surroundings: surroundingsOf(process, this.#ids, this.clock),
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

  /** A process that is neither dead nor standing still. */
  anyProcess(): SimulatedProcess {
    return this.random.pick(this.processes.filter(({ stalled }) => !stalled));
  }

  houseOf(process: SimulatedProcess): House {
    const house = this.#houses.get(process);
    if (!house) throw new Error('a process without a house');
    return house;
  }

  /** Lets everything that is under way go on until nothing is left but timers. */
  async settle(): Promise<void> {
    for (let steps = 0; this.scheduler.waiting > 0; steps += 1) {
      if (steps > SETTLING_STEPS) throw new Error('the simulation does not come to rest');
      await this.scheduler.step();
      if (this.failures.length > 0) return;
    }
  }

  /** Timers whose time has come go off, in their order. */
  async fireTimers(): Promise<void> {
    for (let callback = this.clock.takeDue(); callback; callback = this.clock.takeDue()) {
      callback();
      await strandsAtRest();
    }
  }

  /** One look of a worker for sends; a process looks once at a time, as its loop does. */
  stepOutbox(process: SimulatedProcess): Promise<void> {
    return this.#look(process, 'outbox', (house) => house.outbox.step());
  }

  stepWebhooks(process: SimulatedProcess): Promise<void> {
    return this.#look(process, 'webhooks', (house) => house.webhooks.step());
  }

  async #look(
    process: SimulatedProcess,
    name: string,
    step: (house: House) => Promise<boolean>,
  ): Promise<void> {
    if (this.underWay.some(({ work }) => work.process === process && work.name === name)) return;
    await this.start(name, process, async () => {
      await step(this.houseOf(process));
    });
  }

  /** Nothing of this world goes on once it is left. */
  async end(): Promise<void> {
    for (const process of [...this.processes]) {
      this.#houses.delete(process);
      await this.scheduler.crash(process);
    }
    for (const process of [...this.processes]) process.alive = false;
  }

  #start(name: string): void {
    this.#born += 1;
    const process = new SimulatedProcess(`${name}${this.#born}`);
    this.processes.push(process);
    const house = (): House =>
      openHouse({
        pool: this.stage.pool,
        clock: this.clock,
        log: this.log,
        hash: this.stage.hash,
        sealer: this.stage.sealer,
        providers: this.journal.providers,
        receivers: this.receivers,
        random: () => this.random.next(),
        onPush: ({ businessId, key }) => {
          const pushed = { process, name: `${businessId} push ${key}` };
          this.pushOrder.push(pushed);
          return () => this.pushOrder.splice(this.pushOrder.indexOf(pushed), 1);
        },
      });
    this.#houses.set(
      process,
      onStrand({ name: 'starts', surroundings: surroundingsOf(process, this.#ids, this.clock) }, house),
    );
  }

  #replace(process: SimulatedProcess): void {
    this.processes = this.processes.filter((one) => one !== process);
    this.#houses.delete(process);
    const lost = this.underWay.filter(({ work }) => work.process === process);
    this.underWay = this.underWay.filter(({ work }) => work.process !== process);
    this.#start(process.name.slice(0, 1));
    for (const one of lost) one.lost();
  }

  async #committed(work: Work): Promise<void> {
    const before = this.snapshot;
    const after = await takeSnapshot(this.stage.hands.monitor, before);
    this.snapshot = after;
    if (this.businesses.length < 2) return;
    work.effect?.();
    work.effect = null;
    if (after === before) return;
    learnFromPermits(this, before, after);
    learnFromRecords(this, work.process, before, after);
    learnFromCarriers(this, after);
    for (const what of happened(before, after)) this.count(what);
    const wrong = brokenPromises({
      before,
      after,
      now: this.clock.now(),
      journal: this.journal,
      businesses: this.businesses,
      hashOf: (number) => this.stage.hash('phone', number).toString('hex'),
      spentOnErased: this.#spentOnErased,
    });
    for (const sentence of wrong) this.fail(sentence);
  }

  /** A call that arrives belongs to an attempt that was permitted and committed, or to somebody erased since. */
  #mayBeCalled({ sendId, attempt, channel }: AnyOutbound): void {
    const earlier = this.journal.callsOf(sendId);
    if (earlier.some(({ taken }) => taken)) this.fail(`${channel} send ${sendId} is submitted a second time`);
    const send = this.snapshot.sends.find(({ id }) => id === sendId);
    if (send && send.attempts < attempt)
      this.fail(`${channel} send ${sendId} is called for attempt ${attempt} without a permit`);
  }
}

const isConnectionLoss = (error: unknown): boolean =>
  error instanceof Error && /connection terminated|deadlock detected/i.test(error.message);
