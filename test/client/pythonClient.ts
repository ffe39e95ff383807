import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The Python client, in a process of its own that makes the calls of a test. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const PYTHON_SOURCE = `${ROOT}clients/python/src`;
const IS_TOO_OLD = 'import sys; sys.exit(sys.version_info < (3, 10))';
export const hasPython = spawnSync('python3', ['-c', IS_TOO_OLD]).status === 0;
export const noPython = 'Python 3.10 or later is not on this machine';
export const pythonKinds = ['Waypost', 'AsyncWaypost'] as const;

export interface PythonCall {
  kind?: (typeof pythonKinds)[number];
  base_url: string;
  api_key: string;
  /** Of the client, such as `deadline_seconds`. */
  options?: object;
  /** Such as `messages.push`. */
  method?: string;
  /** An operation of the API itself. */
  operation?: string;
  args?: readonly unknown[];
  kwargs?: object;
  with_response?: boolean;
  /** Of a list or a follower: pages instead of items, and how many at most. */
  pages?: boolean;
  take?: number;
}

export interface PythonOutcome {
  result?: unknown;
  error?: PythonError;
  /** Such as `messages.push 1 client.timeout`. */
  retries?: string[];
  /** What the server answered, in order. */
  answers: { status: number; headers: Record<string, string>; body: string }[];
}

export interface PythonError {
  name: string;
  names: string[];
  message: string;
  printed: string;
  code: string;
  status: number | null;
  request_id: string | null;
  detail: unknown;
  attempts: number;
  idempotency_key: string | null;
  retry_after_seconds?: number | null;
  fields: { field: string; type: string }[];
  results?: { index: number; ok: boolean }[];
}

export interface Python {
  run(call: object): Promise<PythonOutcome>;
  /** What a method returns; a failure is thrown. */
  call(call: PythonCall): Promise<unknown>;
  close(): void;
}

/** `pauses` divides the pauses between attempts. */
export function startPython({ pauses }: { pauses?: number } = {}): Python {
  const child: ChildProcess = spawn('python3', [`${ROOT}test/client/python/driver.py`], {
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: PYTHON_SOURCE,
      PYTHONDONTWRITEBYTECODE: '1',
      ...(pauses !== undefined && { DRIVER_PAUSES: String(pauses) }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<number, (outcome: PythonOutcome) => void>();
  let calls = 0;
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, ...outcome }: PythonOutcome & { id: number } = JSON.parse(line);
      waiting.get(id)?.(outcome);
      waiting.delete(id);
    });
  child.on('exit', () => {
    for (const resolve of waiting.values())
      resolve({ answers: [], error: Object({ message: 'Python ended' }) });
  });
  const run = (call: object): Promise<PythonOutcome> =>
    new Promise((resolve) => {
      const id = calls++;
      waiting.set(id, resolve);
      child.stdin?.write(`${JSON.stringify({ ...call, id })}\n`);
    });
  return {
    run,
    async call(call) {
      const { error, result } = await run(call);
      if (error !== undefined) throw new Error(`${error.name}: ${error.message}`);
      return result;
    },
    close: () => child.kill(),
  };
}
