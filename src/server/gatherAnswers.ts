import type { ChildProcess } from 'node:child_process';
import type { MetricsSnapshot } from '../api/openMetrics.ts';
import { SECOND } from '../kit/clock.ts';
import { type Question, sendTo, type ToSupervisor } from './processMessages.ts';

/** A process that does not answer in time is left out. */
const ANSWER_WITHIN_MS = 2 * SECOND;

interface Gathering {
  waitingFor: Set<number>;
  /** By the process's id. */
  found: Map<number, MetricsSnapshot>;
  done: () => void;
}

/** None has the id 0: it belongs to one that could not be forked. */
export const idOf = (child: ChildProcess): number => child.pid ?? 0;

/** Asks every running process the same question. */
export function gatherAnswers(running: () => readonly ChildProcess[]) {
  const gatherings = new Map<number, Gathering>();
  let last = 0;

  const settle = (id: number, child: ChildProcess): void => {
    const gathering = gatherings.get(id);
    gathering?.waitingFor.delete(idOf(child));
    if (gathering?.waitingFor.size === 0) gathering.done();
  };

  return {
    ask: (question: Question): Promise<Map<number, MetricsSnapshot>> =>
      new Promise((resolve) => {
        last += 1;
        const id = last;
        const children = running();
        const found: Gathering['found'] = new Map();
        const done = (): void => {
          clearTimeout(timer);
          gatherings.delete(id);
          resolve(found);
        };
        const timer = setTimeout(done, ANSWER_WITHIN_MS);
        gatherings.set(id, { waitingFor: new Set(children.map(idOf)), found, done });
        for (const child of children) sendTo(child, { kind: 'question', id, question });
      }),
    handle(child: ChildProcess, { id, metrics }: Extract<ToSupervisor, { kind: 'answer' }>): void {
      if (metrics !== null) gatherings.get(id)?.found.set(idOf(child), metrics);
      settle(id, child);
    },
    /** The process has ended and will not answer. */
    leave(child: ChildProcess): void {
      for (const id of [...gatherings.keys()]) settle(id, child);
    },
  };
}
