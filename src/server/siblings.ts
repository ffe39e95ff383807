import { SECOND } from '../kit/clock.ts';
import type { Question, ToProcess, ToSupervisor } from './processMessages.ts';

export type Siblings = ReturnType<typeof connectSiblings>['siblings'];

/** Longer than the supervisor waits for a process that does not answer. */
const RESULT_WITHIN_MS = 5 * SECOND;

/** Asks through the supervisor. `handleResult` gets the supervisor's messages of that kind. */
export function connectSiblings(send: (message: ToSupervisor) => void) {
  const waiting = new Map<number, (text: string) => void>();
  let last = 0;

  const ask = (question: Question): Promise<string> =>
    new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error('the supervisor did not answer'));
      }, RESULT_WITHIN_MS);
      waiting.set(id, (text) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(text);
      });
      send({ kind: 'question', id, question });
    });

  /** The processes under the same supervisor, this one included. */
  const siblings = {
    /** The metrics of all of them as those of one program. */
    metricsText: () => ask('metrics'),
    openMetricsText: () => ask('open_metrics'),
    /** Returns once all of them have read the sandbox's clock again. */
    syncClocks: async (): Promise<void> => void (await ask('clock')),
  };
  return {
    siblings,
    handleResult: ({ id, text }: Extract<ToProcess, { kind: 'result' }>): void => waiting.get(id)?.(text),
  };
}
