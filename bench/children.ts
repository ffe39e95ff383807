import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atEnd } from './cleanup.ts';

/** A part of the benchmark in its own process. `call` runs one of its functions there. */
export interface Child {
  readonly pid: number;
  call<Value>(name: string, argument?: unknown): Promise<Value>;
}

/** Starts `file` (relative to this folder) and waits until it is ready. */
export async function startChild(
  file: string,
  options: unknown = {},
  nodeFlags: readonly string[] = [],
): Promise<Child> {
  const folder = import.meta.dirname;
  const child = fork(join(folder, 'child.mjs'), [join(folder, file), JSON.stringify(options)], {
    execArgv: [...nodeFlags],
  });
  const exit = once(child, 'exit');
  atEnd(async () => {
    if (child.connected) child.disconnect();
    await exit;
  });
  const answerTo = <Value>(call: number): Promise<Value> =>
    new Promise((resolve, reject) => {
      const listen = (message: unknown): void => {
        const { id, value, error } = JSON.parse(String(message));
        if (id !== call) return;
        child.off('message', listen);
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      };
      child.on('message', listen);
      void exit.then(() => reject(new Error(`${file} ended before it answered`)));
    });
  await answerTo(0);
  let last = 0;
  return {
    pid: child.pid ?? 0,
    call: (name, argument) => {
      last += 1;
      child.send(JSON.stringify({ id: last, name, argument }));
      return answerTo(last);
    },
  };
}
