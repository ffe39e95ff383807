import { setTimeout as sleep } from 'node:timers/promises';
import { claimPort } from '../src/server/listening.ts';
import { launchProgram, type Program, untilReady } from '../test/support/program.ts';
import { registerCleanup } from './cleanup.ts';
import type { SeededRandom } from './seededRandom.ts';

/** The processes of an installation, each restarted when it exits, as a supervisor would. */
export interface Fleet {
  /** Ports of the API processes, dead or alive. */
  readonly apiPorts: readonly number[];
  /** Kills a running process with SIGKILL. Returns its name, or null when none runs. */
  killOne(): string | null;
  /** Suspends a worker with SIGSTOP. Returns a function that resumes it. */
  stallWorker(): (() => void) | null;
  readonly counts: { kills: number; stalls: number; starts: number; startsFailed: number };
  /** The output of processes that exited without being killed. */
  readonly endedByThemselves: string[];
  /** The lines that the running processes logged with this message. */
  logged(message: string): string[];
  /** Resolves when every process runs. */
  allUp(): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly env: Record<string, string>;
  program: Program | null;
  killed: boolean;
  stalled: boolean;
}

const AFTER_FAILED_START_MS = 300;
const POLL_MS = 50;

export interface FleetPlan {
  api: Record<string, string>[];
  workers: Record<string, string>[];
}

export async function startFleet(plan: FleetPlan, chance: SeededRandom): Promise<Fleet> {
  const counts = { kills: 0, stalls: 0, starts: 0, startsFailed: 0 };
  const endedByThemselves: string[] = [];
  const apiPorts = await Promise.all(plan.api.map(() => claimPort('127.0.0.1')));
  const members: Member[] = [
    ...plan.api.map((env, n) => member(`api ${n + 1}`, { ...env, ROLES: 'api', PORT: String(apiPorts[n]) })),
    ...plan.workers.map((env, n) => member(`worker ${n + 1}`, { ...env, ROLES: 'worker' })),
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
      if (!one.killed && !stopping) endedByThemselves.push(`${one.name}: ${program.printed().slice(-2_000)}`);
      one.killed = false;
    }
  };
  const supervisors = members.map(supervise);

  const running = (): Member[] => members.filter(({ program, stalled }) => program !== null && !stalled);

  return {
    apiPorts,
    counts,
    endedByThemselves,
    killOne() {
      const victim = chance.oneOf(running());
      if (!victim?.program) return null;
      victim.killed = true;
      counts.kills += 1;
      victim.program.child.kill('SIGKILL');
      return victim.name;
    },
    stallWorker() {
      const victim = chance.oneOf(running().filter(({ name }) => name.startsWith('worker')));
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
    logged: (message) =>
      members
        .flatMap(({ program }) => program?.printed().split('\n') ?? [])
        .filter((line) => line.includes(`"msg":${JSON.stringify(message)}`)),
    async allUp() {
      while (members.some(({ program }) => program === null || program.url === '')) await sleep(POLL_MS);
    },
    stop: registerCleanup(async () => {
      stopping = true;
      for (const { program } of members) program?.child.kill('SIGKILL');
      await Promise.all(supervisors);
    }),
  };
}

const member = (name: string, env: Record<string, string>): Member => ({
  name,
  env,
  program: null,
  killed: false,
  stalled: false,
});
