import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createMetricsOfProcesses } from '../api/metricsOfProcesses.ts';
import type { MetricsSnapshot } from '../api/openMetrics.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import { gatherAnswers, idOf } from './gatherAnswers.ts';
import type { ProcessPlan } from './processLayout.ts';
import { type Assignment, isToSupervisor, type Question, sendTo } from './processMessages.ts';
import { EARLY_ENDS_MAX, nextStart } from './restartPolicy.ts';
import type { SharedPort } from './sharedPort.ts';

interface SupervisorDeps {
  plans: readonly ProcessPlan[];
  /** The same for all of them. */
  place: Omit<Assignment, 'name' | 'roles' | 'serves'>;
  /** Where the processes that serve get their connections; null: none serves. */
  port: SharedPort | null;
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
  child: ChildProcess | null;
  earlyEnds: number;
  /** Why it did not start. */
  problem: string | null;
  timer?: NodeJS.Timeout;
}

const ENTRY = fileURLToPath(new URL('supervisedProcess.js', import.meta.url));
/** Processes finish their work within 6 seconds. The rest of the time to stop is for the embedded Postgres. */
const STOP_PROCESSES_WITHIN_MS = 8 * SECOND;

/** Runs several processes behind one port, and restarts one that ends. It serves nothing itself and has no database connection. */
export function superviseProcesses({ plans, place, port, log, onGivenUp }: SupervisorDeps): Supervisor {
  const metrics = createMetricsOfProcesses();
  const all = plans.map((plan): Supervised => ({ ...plan, child: null, earlyEnds: 0, problem: null }));
  const answers = gatherAnswers(() => all.flatMap(({ child }) => child ?? []));
  const starting = new Set(all);
  let isStopping = false;
  let isReady = false;
  let onAllEnded = (): void => {};

  const ready = new Promise<void>((resolve, reject) => {
    for (const one of all) run(one, resolve, reject);
  });

  function run(one: Supervised, onReady: () => void, onFailed: (error: OperatorError) => void): void {
    const startedAt = monotonicMs();
    const { name, roles } = one;
    const serves = one.serves && port !== null;
    // The flags of Node are inherited. Source maps by a flag: no module can switch them on for what it imports. `ps` shows the name.
    const execArgv = ['--enable-source-maps', ...process.execArgv];
    const child = fork(ENTRY, name.split(' '), { execArgv });
    one.child = child;
    one.problem = null;
    // One that could not be forked is closed, too.
    child.on('error', (error) => log.error({ process: name, error }, 'process failed'));
    child.on('message', (message: unknown) => {
      if (!isToSupervisor(message)) return;
      switch (message.kind) {
        case 'listening':
          sendTo(
            child,
            isStopping ? { kind: 'stop' } : { kind: 'start', assignment: { name, roles, serves, ...place } },
          );
          return;
        case 'ready':
          if (serves) port.join(child);
          starting.delete(one);
          log.info({ process: name, pid: child.pid }, 'process ready');
          if (starting.size === 0) {
            isReady = true;
            onReady();
          }
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
          void respond(child, message.id, message.question);
          return;
        case 'answer':
          answers.handle(child, message);
      }
    });
    // Not `exit`: its last message can arrive after that.
    child.once('close', (code, signal) => {
      one.child = null;
      port?.leave(child);
      metrics.ended(idOf(child));
      answers.leave(child);
      if (all.every((other) => other.child === null)) onAllEnded();
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
          pid: child.pid,
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
    });
  }

  const textFor = async (question: Question, found: Map<number, MetricsSnapshot>): Promise<string> => {
    if (question === 'clock') return '';
    return question === 'metrics' ? metrics.text(found) : metrics.openMetrics(found);
  };

  async function respond(child: ChildProcess, id: number, question: Question): Promise<void> {
    const found = await answers.ask(question);
    sendTo(child, { kind: 'result', id, text: await textFor(question, found) });
  }

  // After a second Ctrl-C, for instance.
  process.once('exit', () => {
    for (const { child } of all) child?.kill('SIGKILL');
  });
  return {
    ready,
    stop: () =>
      new Promise((resolve) => {
        isStopping = true;
        port?.close();
        onAllEnded = resolve;
        const running = all.flatMap(({ child, timer }) => {
          clearTimeout(timer);
          return child ?? [];
        });
        if (running.length === 0) resolve();
        for (const child of running) sendTo(child, { kind: 'stop' });
        setTimeout(() => {
          for (const { child } of all) child?.kill('SIGKILL');
        }, STOP_PROCESSES_WITHIN_MS).unref();
      }),
  };
}
