import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from '../bench/cleanup.ts';
import { claimPort } from '../src/server/listening.ts';
import { launchProgram, type Program, untilReady } from '../test/support/program.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

type Env = Record<string, string>;

interface Member {
  readonly role: 'api' | 'worker';
  readonly env: Env;
  program: Program | null;
  killed: boolean;
  stalled: boolean;
}

const AFTER_FAILED_START_MS = 300;
const POLL_MS = 50;
const LOG_SHOWN = 2_000;

/** The processes of an installation, each restarted when it exits, as a supervisor would. */
export async function startFleet({ api, workers }: { api: Env[]; workers: Env[] }, chance: SeededRandom) {
  const counts = { kills: 0, stalls: 0, starts: 0, startsFailed: 0 };
  const endedByThemselves: string[] = [];
  const apiPorts = await Promise.all(api.map(() => claimPort('127.0.0.1')));
  const member = (role: Member['role'], env: Env): Member => ({
    role,
    env: { ...env, ROLES: role },
    program: null,
    killed: false,
    stalled: false,
  });
  const members = [
    ...api.map((env, n) => member('api', { ...env, PORT: String(apiPorts[n]) })),
    ...workers.map((env) => member('worker', env)),
  ];
  let stopping = false;

  /** Keeps one process running until the end of the run. */
  const supervise = async (one: Member): Promise<void> => {
    while (!stopping) {
      const launched = launchProgram(one.env);
      one.program = launched;
      const program = await untilReady(launched).catch(() => null);
      one.program = program;
      if (program === null) {
        // The database was down: a supervisor retries.
        if (!one.killed) counts.startsFailed += 1;
        one.killed = false;
        await sleep(AFTER_FAILED_START_MS);
        continue;
      }
      counts.starts += 1;
      await program.ended;
      one.program = null;
      if (!one.killed && !stopping) {
        endedByThemselves.push(`${one.role}: ${program.printed().slice(-LOG_SHOWN)}`);
      }
      one.killed = false;
    }
  };
  const supervisors = members.map(supervise);
  atEnd(async () => {
    stopping = true;
    for (const { program } of members) program?.child.kill('SIGKILL');
    await Promise.all(supervisors);
  });
  const running = (): Member[] => members.filter(({ program, stalled }) => program !== null && !stalled);

  return {
    size: members.length,
    /** Of the API processes, dead or alive. */
    apiPorts,
    counts,
    /** The output of processes that exited without being killed. */
    endedByThemselves,
    /** Kills a running process with SIGKILL. */
    killOne(): void {
      const victim = chance.oneOf(running());
      if (!victim?.program) return;
      victim.killed = true;
      counts.kills += 1;
      victim.program.child.kill('SIGKILL');
    },
    /** Suspends a worker with SIGSTOP. Returns a function that resumes it; null when none runs. */
    stallWorker(): (() => void) | null {
      const victim = chance.oneOf(running().filter(({ role }) => role === 'worker'));
      const child = victim?.program?.child;
      if (!victim || !child) return null;
      victim.stalled = true;
      counts.stalls += 1;
      child.kill('SIGSTOP');
      return () => {
        child.kill('SIGCONT');
        victim.stalled = false;
      };
    },
    /** The lines that the running processes logged with this message. */
    logged: (message: string): string[] =>
      members
        .flatMap(({ program }) => program?.printed().split('\n') ?? [])
        .filter((line) => line.includes(`"msg":${JSON.stringify(message)}`)),
    /** Resolves when every process runs. */
    async allUp(): Promise<void> {
      while (members.some(({ program }) => program === null || program.url === '')) await sleep(POLL_MS);
    },
  };
}
