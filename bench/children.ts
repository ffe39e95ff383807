import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** A part of the benchmark in its own process. `call` runs one of its functions there. */
export interface Child {
  readonly pid: number;
  call<Value>(name: string, argument?: unknown): Promise<Value>;
  stop(): Promise<void>;
}

interface Waiting {
  settle: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Starts `file` (relative to this folder) and waits until it is ready. */
export async function startChild(
  file: string,
  options: unknown = {},
  nodeFlags: readonly string[] = [],
): Promise<Child> {
  const child = spawn(
    process.execPath,
    [
      ...nodeFlags,
      join(import.meta.dirname, 'child.mjs'),
      join(import.meta.dirname, file),
      JSON.stringify(options),
    ],
    { stdio: ['pipe', 'inherit', 'inherit', 'pipe'] },
  );
  const exit = once(child, 'exit');
  const waiting = new Map<number, Waiting>();
  const fail = (): void => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended before it answered`));
    waiting.clear();
  };
  void exit.then(fail);
  const opened = new Promise<void>((resolve, reject) => waiting.set(0, { settle: () => resolve(), reject }));
  readAnswers(child, waiting);
  await opened;

  let last = 0;
  return {
    pid: child.pid ?? 0,
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { settle: (answer) => resolve(JSON.parse(String(answer))), reject });
        child.stdin?.write(`${JSON.stringify({ id: last, name, argument })}\n`);
      }),
    stop: async () => {
      child.stdin?.end();
      await exit;
    },
  };
}

function readAnswers(child: ChildProcess, waiting: Map<number, Waiting>): void {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Readable)) throw new Error('the child has no pipe for results');
  createInterface({ input: pipe }).on('line', (line) => {
    const { id, value, error } = JSON.parse(line);
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.settle(value);
    else call?.reject(new Error(error));
  });
}
