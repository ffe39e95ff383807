import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './freePort.ts';

/** The program as a person starts it: a process of its own, with what it printed. */
export interface Program {
  readonly child: ChildProcess;
  /** Where it listens; known once it has said so. */
  readonly url: string;
  readonly printed: () => string;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
  /** Sends the signal and waits for the end; answers the exit status. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const SERVER = fileURLToPath(new URL('../../dist/program/start.js', import.meta.url));
const READY = /running at (http:\S+)|listening on (http:\S+)\.\n|Waypost is (working)\./;
const READY_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** A program of a test runs for seconds: compiling its code to faster code costs more than it saves. */
const SHORT_LIVED = ['--no-opt'];
/** Benchmarks and chaos start programs too, and want them as they are. */
const DEFAULT_FLAGS = process.env.VITEST === undefined ? [] : SHORT_LIVED;

const running = new Set<ChildProcess>();

let built: Promise<unknown> | undefined;

/**
 * Builds what `npm start` runs, if the source has changed. To be called before the first start of a test file; of the files that
 * share a process, the first one looks.
 */
export async function buildProgram(): Promise<void> {
  const prepare = new URL('../../scripts/prepare.mjs', import.meta.url);
  const code = `import { prepare } from '${prepare}'; await prepare();`;
  built ??= promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  await built;
}

const BUNDLE = fileURLToPath(new URL('../../scripts/bundle.mjs', import.meta.url));

/** Makes a program of a file that uses parts of the source, for a process of its own; answers its path. */
export async function buildPart(file: URL): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [BUNDLE, fileURLToPath(file)]);
  return stdout.trim();
}

export interface LaunchOptions {
  /** Instead of the default ones. */
  nodeFlags?: readonly string[];
  /** Instead of the built server itself. */
  script?: string;
  args?: readonly string[];
  cwd?: string;
  /** The log goes to /dev/null, and is not part of what was printed. */
  discardLog?: boolean;
}

/** Starts the program and waits until it is ready; rejects with what it printed when it ends instead. */
export const startProgram = async (env: Record<string, string>, how: LaunchOptions = {}): Promise<Program> =>
  untilReady(launchProgram({ PORT: String(await freePort()), ...env }, how));

/** The program once it is ready; rejects with what it printed when it ends instead. */
export async function untilReady(program: Program): Promise<Program> {
  const began = performance.now();
  while (performance.now() - began < READY_WITHIN_MS) {
    const ready = READY.exec(program.printed());
    if (ready) return { ...program, url: ready[1] ?? ready[2] ?? '' };
    const { exitCode, signalCode } = program.child;
    if (exitCode !== null || signalCode !== null) throw new Error(`the program ended: ${program.printed()}`);
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`the program was not ready in time: ${program.printed()}`);
}

/** The same without waiting: for starts that are meant to fail. */
export function launchProgram(env: Record<string, string>, how: LaunchOptions = {}): Program {
  const { nodeFlags = DEFAULT_FLAGS, script = SERVER, args = [], cwd, discardLog = false } = how;
  let printed = '';
  const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', discardLog ? 'ignore' : 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => (printed += text.toString()));
  const ended = once(child, 'exit');
  return {
    child,
    url: '',
    printed: () => printed,
    ended,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** For the end of a test file, whatever became of its tests. */
export async function killAllPrograms(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

/** What still runs on these data. */
export async function processesUsing(dataDir: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(dataDir) && !line.includes('ps -eo'))
    .join('\n');
}
