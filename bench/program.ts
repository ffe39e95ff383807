import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program itself, as `npm start` runs it, in a process of its own. */
export interface Program {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** What `npm start` runs. */
const START = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url));
const READY = /listening on http:\/\/localhost:(\d+)\.|Waypost is working\./;
/** More than anyone asks for here: calls are counted, and none is refused. */
const UNREACHED_RATE = '1000000';

const running = new Set<() => Promise<void>>();

/**
 * The flags of `npm start`. Without them V8 lets the heap grow to four times what is alive on a machine with much memory, and a
 * process of 150 MB takes 250.
 */
export function nodeFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(scripts.start)
    .split(' ')
    .filter((word) => word.startsWith('--'));
}

/** Whatever still runs, when the benchmark is cut short. */
export async function stopPrograms(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** Starts it with the settings that it has by itself, its log included, on this database. */
export async function startProgram(databaseUrl: string, env: Record<string, string> = {}): Promise<Program> {
  const child = spawn(process.execPath, [...nodeFlags(), START], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'the secret that the benchmark gives to each of its processes',
      RATE_LIMIT_PER_SECOND: UNREACHED_RATE,
      RATE_LIMIT_BURST: UNREACHED_RATE,
      ...env,
    },
    // The log is written, to where nobody reads it.
    stdio: ['ignore', 'pipe', openSync('/dev/null', 'w')],
  });
  const exit = once(child, 'exit');
  const stop = async (): Promise<void> => {
    running.delete(stop);
    child.kill('SIGTERM');
    await exit;
  };
  running.add(stop);
  const port = await new Promise<number>((resolve, reject) => {
    let printed = '';
    const onText = (text: Buffer): void => {
      printed += text.toString();
      const ready = READY.exec(printed);
      if (!ready) return;
      resolve(Number(ready[1] ?? 0));
    };
    child.stdout?.on('data', onText);
    void exit.then(() => reject(new Error(`the program ended: ${printed}`)));
  });
  return {
    pid: child.pid ?? 0,
    port,
    stop,
  };
}
