import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atEnd } from './cleanup.ts';

/** A part of the benchmark in its own process. `call` runs one of its functions there, one at a time. */
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
  const hasEnded = exit.then(() => {
    throw new Error(`${file} ended before it answered`);
  });
  const answer = async <Value>(): Promise<Value> => {
    const [message] = await Promise.race([once(child, 'message'), hasEnded]);
    const { value, error } = JSON.parse(String(message));
    if (error !== undefined) throw new Error(error);
    return value;
  };
  await answer();
  return {
    pid: child.pid ?? 0,
    call: (name, argument) => {
      child.send(JSON.stringify({ name, argument }));
      return answer();
    },
  };
}
