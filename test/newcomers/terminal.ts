import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A program that runs in a terminal until somebody ends it. */
export interface Running {
  printed(): string;
  /** Ctrl-C: every process of the terminal gets the signal. */
  interrupt(): Promise<void>;
}

const AFTER = '; status=$?; printf "\\0%s\\0" "$PWD"; env -0; exit $status';
const ENDS_WITHIN_MS = 30_000;
const running = new Map<ChildProcess, Running>();

/** A shell that keeps its folder and its variables from one command to the next, as a terminal does. */
export class Terminal {
  #folder: string;
  #env: NodeJS.ProcessEnv;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = env;
  }

  get folder(): string {
    return this.#folder;
  }

  /** What the commands print; rejects with it where one of them fails. */
  async run(commands: string): Promise<string> {
    const script = `set -e\n{ ${commands.trimEnd()}\n}${AFTER}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: this.#folder,
      env: this.#env,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [printed = '', folder = '', ...variables] = stdout.split('\0');
    this.#folder = folder;
    this.#env = Object.fromEntries(
      variables.flatMap((line) => (line === '' ? [] : [/^([^=]+)=(.*)$/s.exec(line)?.slice(1) ?? []])),
    );
    return printed;
  }

  /** Begins what does not end by itself. */
  start(commands: string): Running {
    let printed = '';
    const child = spawn('bash', ['-c', commands], {
      cwd: this.#folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (printed += text.toString()));
    const ended = once(child, 'exit').then(() => running.delete(child));
    const started: Running = {
      printed: () => printed,
      interrupt: async () => {
        signal(child, 'SIGINT');
        await Promise.race([ended, sleep(ENDS_WITHIN_MS, null, { ref: false })]);
        signal(child, 'SIGKILL');
        await ended;
      },
    };
    running.set(child, started);
    return started;
  }
}

/** To a program and all that it started; there may be nobody left. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch (error) {
    if (Object(error).code !== 'ESRCH') throw error;
  }
}

/** For the end of a test, whatever became of it: the last one begun is ended first. */
export async function interruptAll(): Promise<void> {
  for (const one of [...running.values()].reverse()) await one.interrupt();
}
