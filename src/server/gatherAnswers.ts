import type { Worker } from 'node:cluster';
import type { MetricsSnapshot } from '../http/metricsSnapshot.ts';
import { SECOND } from '../kit/clock.ts';
import { type Question, sendTo, type ToSupervisor } from './processMessages.ts';

/** A process that does not answer in time is left out. */
const ANSWER_WITHIN_MS = 2 * SECOND;

interface Gathering {
  waitingFor: Set<number>;
  /** By the process's number in the cluster. */
  found: Map<number, MetricsSnapshot>;
  done: () => void;
}

/** Asks every running process the same question. */
export function gatherAnswers(running: () => readonly Worker[]) {
  const gatherings = new Map<number, Gathering>();
  let last = 0;

  const settle = (id: number, worker: Worker): void => {
    const gathering = gatherings.get(id);
    gathering?.waitingFor.delete(worker.id);
    if (gathering?.waitingFor.size === 0) gathering.done();
  };

  return {
    ask: (question: Question): Promise<Map<number, MetricsSnapshot>> =>
      new Promise((resolve) => {
        last += 1;
        const id = last;
        const workers = running();
        const found: Gathering['found'] = new Map();
        const done = (): void => {
          clearTimeout(timer);
          gatherings.delete(id);
          resolve(found);
        };
        const timer = setTimeout(done, ANSWER_WITHIN_MS);
        gatherings.set(id, { waitingFor: new Set(workers.map((worker) => worker.id)), found, done });
        for (const worker of workers) sendTo(worker, { kind: 'question', id, question });
      }),
    handle(worker: Worker, { id, metrics }: Extract<ToSupervisor, { kind: 'answer' }>): void {
      if (metrics !== null) gatherings.get(id)?.found.set(worker.id, metrics);
      settle(id, worker);
    },
    /** The process has ended and will not answer. */
    leave(worker: Worker): void {
      for (const id of [...gatherings.keys()]) settle(id, worker);
    },
  };
}
