import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from '../bench/cleanup.ts';
import { claimPort } from '../src/server/listening.ts';
import { launchProgram, type Program, untilReady } from '../test/support/program.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';

type Env = Record<string, string>;

interface Member {
  readonly env: Env;
  program: Program | null;
  killed: boolean;
  stalled: boolean;
}

const AFTER_FAILED_START_MS = 300;
const POLL_MS = 50;
const LOG_SHOWN = 2_000;

/** Resolves when every process runs. `script` is the server of another version. */
export async function startFleet(
  { api, workers }: { api: Env[]; workers: Env[] },
  chance: SeededRandom,
  script?: string,
): Promise<Fleet> {
  const apiPorts = await Promise.all(api.map(() => claimPort('127.0.0.1')));
  const envs = [
    ...api.map((env, n) => ({ ...env, ROLES: 'api', PORT: String(apiPorts[n]) })),
    ...workers.map((env) => ({ ...env, ROLES: 'worker' })),
  ];
  const fleet = new Fleet(envs, apiPorts, chance, script);
  await fleet.allUp();
  return fleet;
}

/** The processes of an installation, each restarted when it exits, as a supervisor would. */
export class Fleet {
  /** Of the API processes, dead or alive. */
  readonly apiPorts: readonly number[];
  readonly counts = { kills: 0, stalls: 0, starts: 0, startsFailed: 0 };
  /** The output of processes that exited without being killed. */
  readonly endedByThemselves: string[] = [];
  readonly #members: readonly Member[];
  readonly #chance: SeededRandom;
  readonly #launch: (env: Env) => Program;
  #stopping = false;

  constructor(envs: readonly Env[], apiPorts: readonly number[], chance: SeededRandom, script?: string) {
    this.apiPorts = apiPorts;
    this.#chance = chance;
    this.#launch = (env) => launchProgram(env, script === undefined ? {} : { script });
    this.#members = envs.map((env) => ({ env, program: null, killed: false, stalled: false }));
    const supervisors = this.#members.map((member) => this.#supervise(member));
    atEnd(async () => {
      this.#stopping = true;
      for (const { program } of this.#members) program?.child.kill('SIGKILL');
      await Promise.all(supervisors);
    });
  }

  get size(): number {
    return this.#members.length;
  }

  /** Keeps one process running until the end of the run. */
  async #supervise(member: Member): Promise<void> {
    for (; !this.#stopping; member.killed = false) {
      member.program = this.#launch(member.env);
      const program = await untilReady(member.program).catch(() => null);
      member.program = program;
      if (program === null) {
        // The database was down: a supervisor retries.
        if (!member.killed) this.counts.startsFailed += 1;
        await sleep(AFTER_FAILED_START_MS);
        continue;
      }
      this.counts.starts += 1;
      await program.ended;
      member.program = null;
      if (!member.killed && !this.#stopping)
        this.endedByThemselves.push(`${member.env.ROLES}: ${program.printed().slice(-LOG_SHOWN)}`);
    }
  }

  #running(): Member[] {
    return this.#members.filter(({ program, stalled }) => program !== null && !stalled);
  }

  /** Kills a running process with SIGKILL. */
  killOne(): void {
    const victim = this.#chance.oneOf(this.#running());
    if (!victim?.program) return;
    victim.killed = true;
    this.counts.kills += 1;
    victim.program.child.kill('SIGKILL');
  }

  /** Suspends a worker with SIGSTOP. Returns a function that resumes it; null when none runs. */
  stallWorker(): (() => void) | null {
    const victim = this.#chance.oneOf(this.#running().filter(({ env }) => env.ROLES === 'worker'));
    const child = victim?.program?.child;
    if (!victim || !child) return null;
    victim.stalled = true;
    this.counts.stalls += 1;
    child.kill('SIGSTOP');
    return () => {
      child.kill('SIGCONT');
      victim.stalled = false;
    };
  }

  /** The lines that the running processes logged with this message. */
  readonly logged = (message: string): string[] =>
    this.#members
      .flatMap(({ program }) => program?.printed().split('\n') ?? [])
      .filter((line) => line.includes(`"msg":${JSON.stringify(message)}`));

  /** Resolves when every process runs. */
  async allUp(): Promise<void> {
    const isUp = ({ program }: Member): boolean => program !== null && program.url !== '';
    while (!this.#members.every(isUp)) await sleep(POLL_MS);
  }

  /** Ends them with SIGTERM. Resolves to what those printed that did not exit cleanly. */
  async stop(): Promise<string[]> {
    this.#stopping = true;
    const badEnds: string[] = [];
    for (const { env, program } of this.#members) {
      const status = await program?.end();
      if (status !== 0) badEnds.push(`${env.ROLES}: ${status} ${program?.printed().slice(-LOG_SHOWN)}`);
    }
    return badEnds;
  }
}
