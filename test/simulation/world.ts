import { createBusiness } from '../../src/businesses/create.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { IDEMPOTENCY_MEMORY_MS } from '../../src/config/limits.ts';
import { transaction } from '../../src/db/transaction.ts';
import { randomText } from '../../src/kit/ids.ts';
import type { Log } from '../../src/kit/log.ts';
import type { AnyOutbound } from '../../src/providers/provider.ts';
import { createAllowList } from '../../src/webhooks/allowList.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { happened } from './happened.ts';
import { type House, openHouse } from './house.ts';
import { Journal } from './journal.ts';
import type { Asked } from './merchants.ts';
import { Messages } from './messagesModel.ts';
import { People } from './model.ts';
import { brokenPromises } from './promises.ts';
import { Random } from './random.ts';
import { Receivers } from './receiver.ts';
import { Scheduler, SimulatedProcess, type Work, workOf } from './scheduler.ts';
import { currentStrand, onStrand, type Surroundings, strandsAtRest } from './seams.ts';
import { NOTHING, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Stage } from './stage.ts';
import { VirtualClock } from './virtualClock.ts';

export interface Business {
  id: string;
  /** Never revoked: what a merchant falls back on. */
  apiKey: string;
  keyId: string;
  /** Keys minted later, live or not. */
  minted: { id: string; key: string }[];
  people: People;
  messages: Messages;
}

/** Something under way; `lost` when its process dies before it has ended. */
interface Underway {
  work: Work;
  lost: () => void;
}

const LOW_BALANCE = 3;
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
  /** What the model learns when the answer to a keyed request is stored: by business, scope and key. */
  readonly onRecord = new Map<string, (response: string) => void>();
  /** Pushes in the order in which they were decided. */
  readonly pushOrder: string[] = [];
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
      secretOf: (path) => this.#secrets.get(path) ?? '',
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

  readonly deadEndpoints = new Set<string>();
  readonly #secrets = new Map<string, string>();

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
    this.#drawAnew();
    for (const name of ['A', 'B']) this.#start(name);
    for (const credits of [this.random.below(9), 2 + this.random.below(5)]) await this.#addBusiness(credits);
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
      surroundings: this.#surroundings(process),
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

  /** Ids are drawn from a stock. What is left of it is the last seed's, or the machine's. */
  #drawAnew(): void {
    let filled = false;
    const surroundings = {
      ...this.#surroundings(new SimulatedProcess('nobody')),
      randomBytes: (size: number) => {
        filled = true;
        return this.#ids.bytes(size);
      },
    };
    onStrand({ name: 'draws', surroundings }, () => {
      while (!filled) randomText(1);
    });
  }

  #surroundings(process: SimulatedProcess): Surroundings {
    return {
      randomBytes: (size) => this.#ids.bytes(size),
      monotonicMs: () => this.clock.elapsedMs,
      after: (milliseconds, callback) => this.clock.after(process, milliseconds, callback),
    };
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
        onPush: ({ businessId, key }) => this.pushOrder.push(`${businessId} push ${key}`),
      });
    this.#houses.set(process, onStrand({ name: 'starts', surroundings: this.#surroundings(process) }, house));
  }

  #replace(process: SimulatedProcess): void {
    this.processes = this.processes.filter((one) => one !== process);
    this.#houses.delete(process);
    const lost = this.underWay.filter(({ work }) => work.process === process);
    this.underWay = this.underWay.filter(({ work }) => work.process !== process);
    this.#start(process.name.slice(0, 1));
    for (const one of lost) one.lost();
  }

  async #addBusiness(credits: number): Promise<void> {
    const { pool, sealer } = this.stage;
    const [process] = this.processes;
    if (!process) throw new Error('there is no process');
    const number = this.businesses.length;
    await this.start('set up', process, async () => {
      const made = await createBusiness(pool, this.clock, { name: `Shop ${number}`, credits });
      await transaction(pool, (tx) =>
        changeSettings(
          tx,
          this.clock.now(),
          made.businessId,
          { lowBalanceThreshold: LOW_BALANCE, replyForward: 'full', contactEmail: 'contact@shop.example' },
          'operator',
        ),
      );
      const url = `http://receiver.test:9000/${made.businessId}`;
      const { secret } = await createEndpoint(
        {
          pool,
          clock: this.clock,
          sealer,
          hosts: {
            resolve: async () => [],
            allowHosts: createAllowList(['receiver.test:9000']),
            unresolved: 'refuse',
          },
        },
        { businessId: made.businessId, keyId: made.keyId, url, eventTypes: [], description: null },
      );
      this.#secrets.set(`/${made.businessId}`, secret);
      this.businesses.push({
        id: made.businessId,
        apiKey: made.apiKey,
        keyId: made.keyId,
        minted: [],
        people: new People(),
        messages: new Messages(),
      });
    });
    await this.settle();
  }

  async #committed(work: Work): Promise<void> {
    const before = this.snapshot;
    const after = await takeSnapshot(this.stage.hands.monitor, before);
    this.snapshot = after;
    // Even what changed nothing may be what the model waits for.
    if (this.businesses.length < 2) return;
    work.effect?.();
    work.effect = null;
    if (after === before) return;
    this.#learnFromRecords(before, after);
    this.#learnFromCarriers(after);
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

  /** A keyed request has happened when its answer is stored, whoever wrote it and whether or not anyone heard of it. */
  #learnFromRecords(before: Snapshot, after: Snapshot): void {
    const known = new Set(before.records.map((record) => JSON.stringify(record)));
    const fresh = after.records
      .filter((record) => !known.has(JSON.stringify(record)))
      .map((record) => ({ record, name: `${record.business_id} ${record.scope} ${record.key}` }))
      .sort((a, b) => this.pushOrder.lastIndexOf(a.name) - this.pushOrder.lastIndexOf(b.name));
    for (const { record, name } of fresh) this.onRecord.get(name)?.(record.response);
  }

  /** What a carrier was told counts as a text to us; when we hear of it is for the product to say. */
  #learnFromCarriers({ recipients }: Snapshot): void {
    for (const { business_id, email, phone, sms_status } of recipients) {
      const people = this.businesses.find(({ id }) => id === business_id)?.people;
      if (phone === null || sms_status !== 'stopped' || people?.byEmail.get(email)?.sms === 'stopped')
        continue;
      const refused = this.journal.calls.some(
        ({ message, answer }) =>
          message.businessId === business_id &&
          message.to === phone &&
          answer !== 'silence' &&
          answer.outcome === 'refused' &&
          answer.because === 'stopped',
      );
      if (refused) people?.textsStop(phone);
    }
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
