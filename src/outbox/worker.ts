import type { Channel } from '../contract/channels.ts';
import { eachShard } from '../db/eachShard.ts';
import { isUnavailable } from '../db/errors.ts';
import type { Client } from '../db/pool.ts';
import { GROUP_TRANSACTION, type TransactionEnd, transaction } from '../db/transaction.ts';
import { pause, SECOND } from '../kit/clock.ts';
import { type SendAttemptDeps, SendAttempts } from './attempts.ts';
import { Claimer } from './claim.ts';
import type { ClaimedSend } from './claimSql.ts';
import { releaseHeldSends } from './heldSends.ts';
import { permit } from './permit.ts';
import { Scheduler } from './scheduler.ts';
import { keyArrays } from './send.ts';
import { releaseSendClaims } from './sendsSql.ts';
import type { TransitionResult } from './transition.ts';
import { recordUnknownOutcomes } from './unknownOutcomes.ts';

export interface OutboxWorkerDeps extends SendAttemptDeps {
  /** Called when another step may find more, now or after some milliseconds. */
  onCapacity: () => void;
  onCapacityIn: (milliseconds: number) => void;
  /** Monotonic milliseconds. */
  elapsedMs: () => number;
  /** Called when nothing is in progress any more. */
  onIdle: () => void;
}

/** How long to wait after the database was unavailable. */
const RELEASE_AFTER_MS = SECOND;

/** Sends that were claimed together, under one lease. */
type Claim = { sends: readonly ClaimedSend[]; lease: string };

/** The phases of sending: claim, permit, call, record. It runs the queue and contains no rule about nudges. */
export class OutboxWorker {
  readonly #deps: OutboxWorkerDeps;
  readonly #timeoutMs: Record<Channel, number>;
  readonly #scheduler: Scheduler;
  readonly #claimer: Claimer;
  readonly #attempts: SendAttempts;
  #stopping = false;
  #claimsInProgress = 0;
  #reachesAll = true;

  constructor(deps: OutboxWorkerDeps) {
    const { providers } = deps;
    this.#deps = deps;
    this.#timeoutMs = ofEach((channel) => providers[channel].timeoutMs);
    this.#scheduler = new Scheduler({
      ...deps,
      maxConcurrent: ofEach((channel) => providers[channel].maxConcurrent),
      isPaused: (channel) => providers[channel].isPaused?.() ?? false,
    });
    this.#claimer = new Claimer(deps.pool);
    this.#attempts = new SendAttempts(deps, (result) => this.#notify(result));
  }

  /** Claims once and starts the sends it found; returns whether another claim may find more now. */
  async step(): Promise<boolean> {
    const { clock, log } = this.#deps;
    const { complete, more, ...claim } = await this.#claimer.claim(this.#scheduler.capacity(), clock.now());
    this.#noteReach(complete);
    if (claim.sends.length === 0) return false;
    this.#scheduler.occupy(claim.sends.filter(({ state }) => state === 'queued'));
    this.#claimsInProgress += 1;
    void this.#handle(claim)
      .catch((error: unknown) => log.error({ error }, 'claimed sends failed'))
      .finally(() => {
        this.#claimsInProgress -= 1;
        this.#notifyIdle();
      });
    return more;
  }

  /** Whether a step may find new sends of these businesses. If not, `onCapacity` is called when it may. */
  accepts(businesses: readonly string[]): boolean {
    return this.#scheduler.accepts(businesses);
  }

  /** How many claims and calls are in progress. */
  busy(): number {
    return this.#claimsInProgress + this.#scheduler.inUse;
  }

  /** Makes later claims release their sends at once. */
  stop(): void {
    this.#stopping = true;
  }

  /** Aborts the calls in progress. */
  abortCalls(): void {
    this.#attempts.abortAll();
  }

  /** Says why the nudges of some shops wait, once. */
  #noteReach(complete: boolean): void {
    if (complete === this.#reachesAll) return;
    this.#reachesAll = complete;
    const { log } = this.#deps;
    if (complete) log.info({}, 'the whole database answers again');
    else log.warn({}, 'part of the database does not answer: the nudges of its shops wait');
  }

  #notify({ deliveries, due }: TransitionResult): void {
    if (deliveries > 0) this.#deps.onEvents();
    if (due) this.#deps.onCapacity();
  }

  #notifyIdle(): void {
    if (this.busy() === 0) this.#deps.onIdle();
  }

  async #handle({ sends, lease }: Claim): Promise<void> {
    if (this.#stopping) await this.#release({ sends, lease });
    const { hash, clock } = this.#deps;
    const inState = (state: ClaimedSend['state']): Claim => ({
      sends: sends.filter((one) => one.state === state),
      lease,
    });
    await Promise.all([
      this.#scheduler.run(inState('queued').sends, (group) => this.#send({ sends: group, lease })),
      this.#run(inState('held'), (tx, some) => releaseHeldSends(tx, hash, some, lease, clock.now())),
      this.#run(inState('submitting'), (tx, some) =>
        recordUnknownOutcomes(tx, this.#deps, some, lease, clock.now()),
      ),
    ]);
  }

  async #send(claim: Claim): Promise<void> {
    const { hash, clock } = this.#deps;
    const notPermitted = new Map(claim.sends.map((one) => [one.id, one]));
    const free = (one: { business_id: string; channel: Channel }): void => {
      this.#scheduler.release(one);
      this.#notifyIdle();
    };
    try {
      if (this.#stopping) return await this.#release(claim);
      await this.#run(
        claim,
        (tx, some) => permit(tx, { hash, timeoutMs: this.#timeoutMs }, some, claim.lease, clock.now()),
        ({ permitted, stopped }) => {
          for (const one of stopped) this.#attempts.noteStopped(one);
          for (const one of permitted) {
            notPermitted.delete(one.send.id);
            void this.#attempts.make(one).finally(() => free(one.send));
          }
        },
      );
    } finally {
      // A permitted send keeps its capacity until its outcome is recorded.
      for (const one of notPermitted.values()) free(one);
    }
  }

  /** Runs a group in a transaction. If it fails, runs each of its sends alone, so that one bad send does not block the others. */
  async #run<Result extends TransitionResult>(
    { sends, lease }: Claim,
    work: (tx: Client, some: readonly ClaimedSend[]) => Promise<Result | TransactionEnd<Result>>,
    onDone: (result: Result) => void = () => {},
  ): Promise<void> {
    const { pool, log } = this.#deps;
    const run = async (some: readonly ClaimedSend[]): Promise<void> => {
      try {
        const result = await transaction(pool, (tx) => work(tx, some), GROUP_TRANSACTION);
        this.#notify(result);
        onDone(result);
      } catch (error) {
        log.error({ error, sends: some.length, send_id: some[0]?.id }, 'group of sends failed');
        if (isUnavailable(error)) return this.#releaseLater({ sends: some, lease });
        // A send that fails alone is claimed again when its lease expires.
        if (some.length > 1) for (const one of some) await run([one]);
      }
    };
    if (sends.length > 0) await eachShard(pool, sends, ({ business_id }) => business_id, run);
  }

  /** The database was unavailable or a lock timed out: the sends can be claimed again before their lease expires. */
  async #releaseLater(claim: Claim): Promise<void> {
    await pause(RELEASE_AFTER_MS);
    await this.#release(claim).catch(() => {});
    this.#deps.onCapacity();
  }

  async #release({ sends, lease }: Claim): Promise<void> {
    await releaseSendClaims(this.#deps.pool, lease, ...keyArrays(sends), this.#deps.clock.now());
  }
}

const ofEach = <T>(of: (channel: Channel) => T): Record<Channel, T> => ({
  email: of('email'),
  sms: of('sms'),
  whatsapp: of('whatsapp'),
});
