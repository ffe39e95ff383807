import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createMetricsOfProcesses } from '../api/metricsOfProcesses.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import { gatherAnswers, idOf } from './gatherAnswers.ts';
import type { ProcessPlan } from './processLayout.ts';
import {
  type Assignment,
  isToSupervisor,
  type Question,
  sendTo,
  type ToSupervisor,
} from './processMessages.ts';
import type { SharedPort } from './sharedPort.ts';

export interface SupervisorDeps {
  plans: readonly ProcessPlan[];
  /** The same for all of them. */
  place: Omit<Assignment, 'name' | 'roles' | 'serves'>;
  /** Where the processes that serve get their connections; null: none serves. */
  port: SharedPort | null;
  log: Log;
  /** A process cannot be kept running. */
  onGivenUp: (error: OperatorError) => void;
}

interface Supervised extends ProcessPlan {
  child: ChildProcess | null;
  earlyEnds: number;
  /** Why it did not start. */
  problem: string | null;
  timer?: NodeJS.Timeout;
}

/** A process that ends sooner than this has not really started. */
export const STARTED_AFTER_MS = 10 * SECOND;
/** So many early ends in a row cannot be bad luck. */
export const EARLY_ENDS_MAX = 5;
const FIRST_PAUSE_MS = SECOND / 2;

const ENTRY = fileURLToPath(new URL('supervisedProcess.js', import.meta.url));
/** Processes finish their work within 6 seconds. The rest of the time to stop is for the embedded Postgres. */
const STOP_PROCESSES_WITHIN_MS = 8 * SECOND;

/** Runs several processes behind one port, and restarts one that ends. It serves nothing itself and has no database connection. */
export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #all: readonly Supervised[];
  readonly #metrics = createMetricsOfProcesses();
  readonly #answers = gatherAnswers(() => this.#running());
  readonly #starting: Set<Supervised>;
  /** Resolves once every process is ready; rejects with the first mistake. */
  readonly ready: Promise<void>;
  #onReady = (): void => {};
  #onFailed = (_error: OperatorError): void => {};
  #isStopping = false;
  #isReady = false;
  #onAllEnded = (): void => {};

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#all = deps.plans.map((plan) => ({ ...plan, child: null, earlyEnds: 0, problem: null }));
    this.#starting = new Set(this.#all);
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve;
      this.#onFailed = reject;
    });
    for (const one of this.#all) this.#run(one);
    // After a second Ctrl-C, for instance.
    process.once('exit', () => this.#killAll());
  }

  /** Resolves once every process has ended. */
  readonly stop = (): Promise<void> =>
    new Promise((resolve) => {
      this.#isStopping = true;
      this.#deps.port?.close();
      this.#onAllEnded = resolve;
      for (const { timer } of this.#all) clearTimeout(timer);
      const running = this.#running();
      if (running.length === 0) resolve();
      for (const child of running) sendTo(child, { kind: 'stop' });
      setTimeout(() => this.#killAll(), STOP_PROCESSES_WITHIN_MS).unref();
    });

  #running(): ChildProcess[] {
    return this.#all.flatMap(({ child }) => child ?? []);
  }

  #killAll(): void {
    for (const child of this.#running()) child.kill('SIGKILL');
  }

  #run(one: Supervised): void {
    const startedAt = monotonicMs();
    // The flags of Node are inherited. Source maps by a flag: no module can switch them on for what it imports. `ps` shows the name.
    const execArgv = ['--enable-source-maps', ...process.execArgv];
    const child = fork(ENTRY, one.name.split(' '), { execArgv });
    one.child = child;
    one.problem = null;
    // One that could not be forked is closed, too.
    child.on('error', (error) => this.#deps.log.error({ process: one.name, error }, 'process failed'));
    child.on('message', (message: unknown) => {
      if (isToSupervisor(message)) this.#handle(one, child, message);
    });
    // Not `exit`: its last message can arrive after that.
    child.once('close', () => {
      this.#forget(one, child);
      if (!this.#isStopping) this.#restart(one, child, monotonicMs() - startedAt);
    });
  }

  #handle(one: Supervised, child: ChildProcess, message: ToSupervisor): void {
    const { place, port } = this.#deps;
    switch (message.kind) {
      case 'listening': {
        const { name, roles } = one;
        const assignment = { name, roles, serves: one.serves && port !== null, ...place };
        sendTo(child, this.#isStopping ? { kind: 'stop' } : { kind: 'start', assignment });
        return;
      }
      case 'ready':
        this.#becameReady(one, child);
        return;
      case 'taken':
        port?.taken(child);
        return;
      case 'stopping':
        port?.leave(child);
        return;
      case 'failed':
        one.problem = message.sentence;
        return;
      case 'question':
        void this.#respond(child, message.id, message.question);
        return;
      case 'answer':
        this.#answers.handle(child, message);
    }
  }

  #becameReady(one: Supervised, child: ChildProcess): void {
    if (one.serves) this.#deps.port?.join(child);
    this.#starting.delete(one);
    this.#deps.log.info({ process: one.name, pid: child.pid }, 'process ready');
    if (this.#starting.size > 0) return;
    this.#isReady = true;
    this.#onReady();
  }

  #forget(one: Supervised, child: ChildProcess): void {
    one.child = null;
    this.#deps.port?.leave(child);
    this.#metrics.ended(idOf(child));
    this.#answers.leave(child);
    if (this.#running().length === 0) this.#onAllEnded();
  }

  #restart(one: Supervised, child: ChildProcess, livedMs: number): void {
    const { name, problem } = one;
    const { log, onGivenUp } = this.#deps;
    const ended = { pid: child.pid, code: child.exitCode, signal: child.signalCode };
    const ending = ended.signal ? `by ${ended.signal}` : `with status ${ended.code}`;
    if (!this.#isReady) {
      this.#onFailed(new OperatorError(problem ?? `Process ${name} ended ${ending}.`));
      return;
    }
    const { earlyEnds, afterMs } = nextStart(one.earlyEnds, livedMs);
    one.earlyEnds = earlyEnds;
    log.error({ process: name, ...ended, problem, restart_in_ms: afterMs }, 'process ended');
    if (afterMs !== null) {
      one.timer = setTimeout(() => this.#run(one), afterMs);
      return;
    }
    const times = `Process ${name} ended ${EARLY_ENDS_MAX} times in a row soon after its start`;
    onGivenUp(new OperatorError(problem === null ? `${times}, at last ${ending}.` : `${times}: ${problem}`));
  }

  async #respond(child: ChildProcess, id: number, question: Question): Promise<void> {
    const found = await this.#answers.ask(question);
    const text = {
      clock: async () => '',
      metrics: () => this.#metrics.text(found),
      open_metrics: () => this.#metrics.openMetrics(found),
    };
    sendTo(child, { kind: 'result', id, text: await text[question]() });
  }
}

/**
 * What to do about a process that has ended by itself: start it again after `afterMs`, or end the program if that is null.
 * The pause doubles with each early end in a row.
 */
export function nextStart(earlyEndsBefore: number, livedMs: number) {
  if (livedMs >= STARTED_AFTER_MS) return { earlyEnds: 0, afterMs: 0 };
  const earlyEnds = earlyEndsBefore + 1;
  const isHopeless = earlyEnds >= EARLY_ENDS_MAX;
  return { earlyEnds, afterMs: isHopeless ? null : FIRST_PAUSE_MS * 2 ** (earlyEnds - 1) };
}
