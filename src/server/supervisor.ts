import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { createMetricsOfProcesses } from '../http/metricsOfProcesses.ts';
import type { MetricsSnapshot } from '../http/metricsSnapshot.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import { gatherAnswers } from './gatherAnswers.ts';
import type { ProcessPlan } from './processLayout.ts';
import { type Assignment, isToSupervisor, type Question, sendTo } from './processMessages.ts';
import { EARLY_ENDS_MAX, nextStart } from './restartPolicy.ts';

interface SupervisorDeps {
  plans: readonly ProcessPlan[];
  /** The same for all of them. */
  place: Omit<Assignment, 'name' | 'roles' | 'port'>;
  /** For the processes that listen; null: none does. */
  port: number | null;
  log: Log;
  /** A process cannot be kept running. */
  onGivenUp: (error: OperatorError) => void;
}

interface Supervisor {
  /** Resolves once every process is ready; rejects with the first mistake. */
  ready: Promise<void>;
  /** Resolves once every process has ended. */
  stop(): Promise<void>;
}

interface Supervised extends ProcessPlan {
  worker: Worker | null;
  earlyEnds: number;
  /** Why it did not start. */
  problem: string | null;
  timer?: NodeJS.Timeout;
}

const ENTRY = fileURLToPath(new URL('supervisedProcess.js', import.meta.url));
/** Processes finish their work within 6 seconds. The rest of the time to stop is for the embedded Postgres. */
const STOP_PROCESSES_WITHIN_MS = 8 * SECOND;

/**
 * Runs several processes behind one port: the supervisor accepts connections and hands them out in turn. It restarts a
 * process that ends. It serves nothing itself and has no database connection.
 */
export function superviseProcesses({ plans, place, port, log, onGivenUp }: SupervisorDeps): Supervisor {
  const metrics = createMetricsOfProcesses();
  const all = plans.map((plan): Supervised => ({ ...plan, worker: null, earlyEnds: 0, problem: null }));
  const answers = gatherAnswers(() => all.flatMap(({ worker }) => worker ?? []));
  const starting = new Set(all);
  let isStopping = false;
  let isReady = false;
  let onAllEnded = (): void => {};

  const ready = new Promise<void>((resolve, reject) => {
    for (const one of all) run(one, resolve, reject);
  });

  function run(one: Supervised, onReady: () => void, onFailed: (error: OperatorError) => void): void {
    const startedAt = monotonicMs();
    const { name, roles, listens } = one;
    // The flags of Node are inherited. Source maps by a flag: no module can switch them on for what it imports. `ps` shows the name.
    const execArgv = ['--enable-source-maps', ...process.execArgv];
    cluster.setupPrimary({ exec: ENTRY, args: name.split(' '), execArgv });
    const worker = cluster.fork();
    one.worker = worker;
    one.problem = null;
    worker.on('message', (message: unknown) => {
      if (!isToSupervisor(message)) return;
      switch (message.kind) {
        case 'listening':
          sendTo(
            worker,
            isStopping
              ? { kind: 'stop' }
              : { kind: 'start', assignment: { name, roles, port: listens ? port : null, ...place } },
          );
          return;
        case 'ready':
          starting.delete(one);
          log.info({ process: name, pid: worker.process.pid }, 'process ready');
          if (starting.size === 0) {
            isReady = true;
            onReady();
          }
          return;
        case 'failed':
          one.problem = message.sentence;
          return;
        case 'question':
          void respond(worker, message.id, message.question);
          return;
        case 'answer':
          answers.handle(worker, message);
      }
    });
    const ended = (code: number, signal: string): void => {
      one.worker = null;
      metrics.ended(worker.id);
      answers.leave(worker);
      if (all.every((other) => other.worker === null)) onAllEnded();
      if (isStopping) return;
      const ending = signal ? `by ${signal}` : `with status ${code}`;
      if (!isReady) {
        onFailed(new OperatorError(one.problem ?? `Process ${name} ended ${ending}.`));
        return;
      }
      const { earlyEnds, afterMs } = nextStart(one.earlyEnds, monotonicMs() - startedAt);
      one.earlyEnds = earlyEnds;
      log.error(
        {
          process: name,
          pid: worker.process.pid,
          code,
          signal,
          problem: one.problem,
          restart_in_ms: afterMs,
        },
        'process ended',
      );
      if (afterMs === null) {
        const times = `Process ${name} ended ${EARLY_ENDS_MAX} times in a row soon after its start`;
        onGivenUp(
          new OperatorError(
            one.problem === null ? `${times}, at last ${ending}.` : `${times}: ${one.problem}`,
          ),
        );
        return;
      }
      one.timer = setTimeout(() => run(one, () => {}, onFailed), afterMs);
    };
    // Its last message can arrive after the news of its end.
    worker.once('exit', (code, signal) => {
      if (worker.isConnected()) worker.once('disconnect', () => ended(code, signal));
      else ended(code, signal);
    });
  }

  const textFor = async (question: Question, found: Map<number, MetricsSnapshot>): Promise<string> => {
    if (question === 'clock') return '';
    return question === 'metrics' ? metrics.text(found) : metrics.openMetrics(found);
  };

  async function respond(worker: Worker, id: number, question: Question): Promise<void> {
    const found = await answers.ask(question);
    sendTo(worker, { kind: 'result', id, text: await textFor(question, found) });
  }

  // After a second Ctrl-C, for instance.
  process.once('exit', () => {
    for (const { worker } of all) worker?.process.kill('SIGKILL');
  });
  return {
    ready,
    stop: () =>
      new Promise((resolve) => {
        isStopping = true;
        onAllEnded = resolve;
        const running = all.flatMap(({ worker, timer }) => {
          clearTimeout(timer);
          return worker ?? [];
        });
        if (running.length === 0) resolve();
        for (const worker of running) sendTo(worker, { kind: 'stop' });
        setTimeout(() => {
          for (const { worker } of all) worker?.process.kill('SIGKILL');
        }, STOP_PROCESSES_WITHIN_MS).unref();
      }),
  };
}
