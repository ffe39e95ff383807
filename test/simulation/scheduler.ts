import type { Client } from 'pg';
import type { SimulatedConnection } from './connections.ts';
import { isDeadlocked, PATIENCE_MS, waitsForLock } from './lockWaits.ts';
import type { Random } from './random.ts';
import { currentTask, runInTask, type Task, tasksIdle } from './simulatedGlobals.ts';
import type { VirtualClock } from './virtualClock.ts';

/** Two statements wait for one row that its holder updates: Postgres decides which goes first. */
export const SEVERAL_WAITED = 'several waited for a lock';

/** The points where a simulated process touches the outside: there it can be delayed, disconnected or killed. */
export type StepKind = 'begin' | 'commit' | 'rollback' | 'statement' | 'autocommit' | 'provider' | 'receiver';

/** A process of the service. After a crash, `alive` is false and nothing that it waits for resolves. */
export class SimulatedProcess {
  readonly name: string;
  alive = true;
  /** Suspended for a while, as by SIGSTOP or a long garbage collection. */
  stalled = false;
  readonly connections = new Set<SimulatedConnection>();

  constructor(name: string) {
    this.name = name;
  }
}

export interface ProcessTask extends Task {
  readonly process: SimulatedProcess;
  /** The effect on the model of a commit of this work. */
  effect: (() => void) | null;
}

interface Operation {
  work: ProcessTask;
  kind: StepKind;
  label: string;
  connection: SimulatedConnection | null;
  perform: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Blocked {
  operation: Operation;
  connection: SimulatedConnection;
  ended: Promise<Ended>;
}

type Ended = { ok: true; value: unknown } | { ok: false; error: unknown };

export interface SimulationSchedulerDeps {
  random: Random;
  clock: VirtualClock;
  /** A connection for the simulation itself. */
  monitor: Client;
  trace: (line: string) => void;
  count: (what: string) => void;
  /** Called after each commit, before its response is sent. */
  onCommit: (work: ProcessTask) => Promise<void>;
  onCrash: (process: SimulatedProcess) => void;
}

/** The probability of each fault, higher where it matters most. */
const FAULT_CHANCE: Record<StepKind, number> = {
  begin: 1 / 200,
  statement: 1 / 150,
  autocommit: 1 / 100,
  rollback: 1 / 20,
  commit: 1 / 30,
  provider: 1 / 5,
  receiver: 1 / 8,
};

/**
 * Runs the tasks of all processes one step at a time, in an order that the seed decides. A statement that waits for a lock
 * is parked until the lock is free; everything else waits until it is chosen. So a seed runs the same every time, with one
 * exception: see `SEVERAL_WAITED`.
 */
export class SimulationScheduler {
  readonly #deps: SimulationSchedulerDeps;
  #pending: Operation[] = [];
  #blocked: Blocked[] = [];
  faultsLeft = 0;

  constructor(deps: SimulationSchedulerDeps) {
    this.#deps = deps;
  }

  /** Called on a task: waits until it is chosen, then runs the step. */
  run(
    kind: StepKind,
    label: string,
    connection: SimulatedConnection | null,
    perform: () => Promise<unknown>,
  ): Promise<unknown> {
    const work = processTaskOf(currentTask());
    return new Promise((resolve, reject) => {
      if (!work.process.alive) return;
      this.#pending.push({ work, kind, label, connection, perform, resolve, reject });
    });
  }

  /** Starts some work of a process. */
  async begin(work: ProcessTask, run: () => Promise<void>): Promise<void> {
    runInTask(work, () => void run());
    await tasksIdle();
  }

  get runnable(): number {
    return this.#ready().length;
  }

  get waiting(): number {
    return this.#pending.length + this.#blocked.length;
  }

  /** The steps that can run next. Pipelined statements of one connection run in their order. */
  #ready(): Operation[] {
    const busy = new Set(this.#blocked.map(({ connection }) => connection));
    return this.#pending.filter(({ work, connection }) => {
      if (connection === null) return !work.process.stalled;
      const isNext = !busy.has(connection);
      busy.add(connection);
      return isNext && !work.process.stalled;
    });
  }

  /** Runs one of the waiting steps. */
  async step(): Promise<void> {
    const ready = this.#ready();
    if (ready.length === 0) {
      const [first] = this.#blocked;
      if (first) await this.#unblock(first, true);
      return;
    }
    await this.#grant(this.#deps.random.pick(ready));
    await tasksIdle();
  }

  /** Kills the process: its transactions roll back, and a new process replaces it. */
  async crash(process: SimulatedProcess): Promise<void> {
    if (!process.alive) return;
    process.alive = false;
    this.#pending = this.#pending.filter(({ work }) => work.process !== process);
    for (const blocked of this.#blocked.filter(({ operation }) => operation.work.process === process)) {
      this.#blocked.splice(this.#blocked.indexOf(blocked), 1);
      await this.#deps.monitor.query('select pg_cancel_backend($1)', [blocked.connection.pid]);
      await blocked.ended;
    }
    for (const connection of process.connections) await connection.cut();
    process.connections.clear();
    this.#deps.clock.forget(process);
    this.#deps.trace(`${process.name} dies`);
    this.#deps.onCrash(process);
    await this.#unblockAll();
  }

  async #grant(operation: Operation): Promise<void> {
    const { work, kind, label, connection } = operation;
    this.#pending.splice(this.#pending.indexOf(operation), 1);
    this.#deps.clock.tick();
    const fault = this.#chooseFault(operation);
    this.#deps.trace(`  ${work.process.name} ${work.name}: ${label}${fault === null ? '' : ` [${fault}]`}`);
    if (fault !== null) this.#deps.count(`${fault} ${kind}`);
    if (fault === 'crash before') return this.crash(work.process);
    if (fault === 'lost before') return this.#lose(operation);

    const ended = settled(operation.perform());
    if (connection && (await waitsForLock(this.#deps.monitor, ended, connection, PATIENCE_MS))) {
      this.#deps.count('waited for a lock');
      const blocked = { operation, connection, ended };
      this.#blocked.push(blocked);
      if (this.#blocked.length > 1) this.#deps.count(SEVERAL_WAITED);
      if (
        await isDeadlocked(
          this.#deps.monitor,
          connection,
          this.#blocked.map((one) => one.connection),
        )
      ) {
        this.#deps.count('deadlock');
        const first = await Promise.race(this.#blocked.map((one) => one.ended.then(() => one)));
        await this.#unblock(first, true);
      }
      return;
    }
    await this.#finish(operation, await ended, fault);
    if (kind !== 'statement' && kind !== 'begin') await this.#unblockAll();
  }

  async #finish(
    operation: Operation,
    ended: Ended,
    fault: 'crash after' | 'lost after' | null,
  ): Promise<void> {
    const { work, kind, connection } = operation;
    const isKept = kind === 'autocommit' || (kind === 'commit' && ended.ok && isCommitted(ended.value));
    if (ended.ok && connection?.wrote && isKept) await this.#deps.onCommit(work);
    if (fault === 'crash after') return this.crash(work.process);
    if (fault === 'lost after') return this.#lose(operation);
    if (ended.ok) operation.resolve(ended.value);
    else operation.reject(ended.error);
  }

  /** The connection is lost, and with it the response. */
  async #lose({ work, connection, reject }: Operation): Promise<void> {
    if (connection) {
      await connection.cut();
      work.process.connections.delete(connection);
    }
    const behind = this.#pending.filter((other) => connection !== null && other.connection === connection);
    this.#pending = this.#pending.filter((other) => !behind.includes(other));
    for (const unheard of [reject, ...behind.map((other) => other.reject)])
      unheard(Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' }));
    await this.#unblockAll();
  }

  #chooseFault({ kind }: Operation): 'crash before' | 'crash after' | 'lost before' | 'lost after' | null {
    const { random } = this.#deps;
    // Drawn in any case, so that a run without faults makes the same choices.
    const strikes = random.chance(FAULT_CHANCE[kind]);
    if (!strikes || this.faultsLeft === 0) return null;
    this.faultsLeft -= 1;
    const crash = random.pick(['crash before', 'crash after'] as const);
    if (kind === 'provider' || kind === 'receiver' || kind === 'rollback') return crash;
    return random.pick([crash, random.pick(['lost before', 'lost after'] as const)]);
  }

  /** Resumes statements whose lock is free, in their order of arrival. */
  async #unblockAll(): Promise<void> {
    // The task that released the lock runs first, so that the order does not depend on the database's speed.
    await tasksIdle();
    for (let moved = true; moved; ) {
      moved = false;
      for (const blocked of [...this.#blocked]) {
        if (this.#blocked.includes(blocked) && (await this.#unblock(blocked, false))) moved = true;
      }
    }
  }

  async #unblock(blocked: Blocked, certainly: boolean): Promise<boolean> {
    const { operation, connection, ended } = blocked;
    if (!certainly && (await waitsForLock(this.#deps.monitor, ended, connection, 0))) return false;
    this.#blocked.splice(this.#blocked.indexOf(blocked), 1);
    await this.#finish(operation, await ended, null);
    await tasksIdle();
    return true;
  }
}

/** After a failed statement, Postgres treats a commit as a rollback. */
const isCommitted = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'command' in result && result.command === 'COMMIT';

const settled = (promise: Promise<unknown>): Promise<Ended> =>
  promise.then(
    (value): Ended => ({ ok: true, value }),
    (error: unknown): Ended => ({ ok: false, error }),
  );

/** Every task of a simulation is the work of one of its processes. */
export function processTaskOf(task: Task | null): ProcessTask {
  if (task && isWork(task)) return task;
  throw new Error('a kind outside of any simulated process');
}

const isWork = (task: Task): task is ProcessTask => 'process' in task;
