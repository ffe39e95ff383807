import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ClientLanguage } from './languages.ts';

/** The client of another language, in a process of its own that makes the calls of a test: a line for a call, a line for its outcome. */
export interface DrivenCall {
  kind?: string;
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

export interface Outcome {
  result?: unknown;
  error?: DrivenError;
  /** Such as `messages.push 1 client.timeout`. */
  retries?: string[];
  /** What the server answered, in order. */
  answers: { status: number; headers: Record<string, string>; body: string }[];
}

export interface DrivenError {
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

export interface Driver {
  run(call: object): Promise<Outcome>;
  /** What a method returns; a failure is thrown. */
  call(call: DrivenCall): Promise<unknown>;
  close(): void;
}

/** Names are those of Python: the other drivers translate them. `pauses` divides the pauses between attempts. */
export function startDriver(language: ClientLanguage, { pauses }: { pauses?: number } = {}): Driver {
  const [program, ...args] = language.driver;
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      ...language.env,
      ...(pauses !== undefined && { DRIVER_PAUSES: String(pauses) }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let calls = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...outcome }: Outcome & { id: number } = JSON.parse(line);
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  });
  child.on('exit', () => {
    for (const resolve of waiting.values())
      resolve({ answers: [], error: Object({ message: `${language.name} ended` }) });
  });
  const run = (call: object): Promise<Outcome> =>
    new Promise((resolve) => {
      const id = calls++;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ ...call, id })}\n`);
    });
  return {
    run,
    async call(call) {
      const { error, result } = await run(call);
      if (error !== undefined) throw new Error(`${error.name}: ${error.message}`);
      return result;
    },
    close: () => void child.stdin.end(),
  };
}
