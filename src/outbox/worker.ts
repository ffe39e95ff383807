import type { Channel } from '../contract/channels.ts';
import { eachShard } from '../db/eachShard.ts';
import { isUnavailable } from '../db/errors.ts';
import { GROUP_TRANSACTION, transaction } from '../db/transaction.ts';
import { SECOND } from '../kit/clock.ts';
import { createSendAttempts, type SendAttemptDeps } from './attempts.ts';
import { Claimer } from './claim.ts';
import type { ClaimedSend } from './claimSql.ts';
import { releaseHeldSends } from './heldSends.ts';
import { recordUnknownOutcomes } from './lapses.ts';
import { permit } from './permit.ts';
import { Scheduler } from './scheduler.ts';
import { keyArrays } from './send.ts';
import { releaseSendClaims } from './sendsSql.ts';
import type { TransitionResult } from './transition.ts';

export interface OutboxWorkerDeps extends SendAttemptDeps {
  /** Called when another step may find more, now or after some milliseconds. */
  onCapacity: () => void;
  onCapacityIn: (milliseconds: number) => void;
  /** Monotonic milliseconds. */
  elapsedMs: () => number;
  /** Called when nothing is in progress any more. */
  onIdle: () => void;
}

export interface OutboxWorker {
  /** Claims once and starts the sends it found; returns whether another claim may find more now. */
  step(): Promise<boolean>;
  /** Whether a step may find new sends of these businesses. If not, `onCapacity` is called when it may. */
  accepts(businesses: readonly string[]): boolean;
  /** How many claims and calls are in progress. */
  busy(): number;
  /** Makes later claims release their sends at once. */
  stop(): void;
  /** Aborts the calls in progress. */
  abortCalls(): void;
}

/** How long to wait after the database was unavailable. */
const RELEASE_AFTER_MS = SECOND;

/** The phases of sending: claim, permit, call, record. It runs the queue and contains no rule about nudges. */
export function createOutboxWorker(deps: OutboxWorkerDeps): OutboxWorker {
  const { pool, clock, log, providers, onCapacity } = deps;
  const timeoutMs = ofEach((channel) => providers[channel].timeoutMs);
  const providerNames = ofEach((channel) => providers[channel].name);
  const scheduler = new Scheduler({
    ...deps,
    maxConcurrent: ofEach((channel) => providers[channel].maxConcurrent),
    isPaused: (channel) => providers[channel].isPaused?.() ?? false,
  });
  const claimer = new Claimer(pool);
  const attempts = createSendAttempts(deps, notify);
  let stopping = false;
  let claimsInProgress = 0;
  let reachesAll = true;

  /** Says why the nudges of some shops wait, once. */
  function noteReach(complete: boolean): void {
    if (complete === reachesAll) return;
    reachesAll = complete;
    if (complete) log.info({}, 'the whole database answers again');
    else log.warn({}, 'part of the database does not answer: the nudges of its shops wait');
  }

  function notify({ deliveries, due }: TransitionResult): void {
    if (deliveries > 0) deps.onEvents();
    if (due) onCapacity();
  }
  const busy = (): number => claimsInProgress + scheduler.inUse;
  const free = (one: { business_id: string; channel: Channel }): void => {
    scheduler.release(one);
    if (busy() === 0) deps.onIdle();
  };

  /** Runs a group. If it fails, runs each of its sends alone, so that one bad send does not block the others. */
  async function runGroup(
    group: readonly ClaimedSend[],
    lease: string,
    work: (some: readonly ClaimedSend[]) => Promise<void>,
  ): Promise<void> {
    if (group.length === 0) return;
    await eachShard(
      pool,
      group,
      ({ business_id }) => business_id,
      (some) => runTogether(some, lease, work),
    );
  }

  async function runTogether(
    group: readonly ClaimedSend[],
    lease: string,
    work: (some: readonly ClaimedSend[]) => Promise<void>,
  ): Promise<void> {
    try {
      await work(group);
    } catch (error) {
      log.error({ error, sends: group.length, send_id: group[0]?.id }, 'group of sends failed');
      if (isUnavailable(error)) return releaseLater(group, lease);
      // A send that fails alone is claimed again when its lease expires.
      if (group.length > 1) for (const one of group) await runTogether([one], lease, work);
    }
  }

  /** The database was unavailable or a lock timed out: the sends can be claimed again before their lease expires. */
  const releaseLater = async (group: readonly ClaimedSend[], lease: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, RELEASE_AFTER_MS));
    await releaseClaims(group, lease).catch(() => {});
    onCapacity();
  };

  const releaseClaims = async (group: readonly ClaimedSend[], lease: string): Promise<void> => {
    await releaseSendClaims(pool, lease, ...keyArrays(group), clock.now());
  };

  async function send(group: readonly ClaimedSend[], lease: string): Promise<void> {
    const notPermitted = new Map(group.map((one) => [one.id, one]));
    try {
      if (stopping) return await releaseClaims(group, lease);
      await runGroup(group, lease, async (some) => {
        const now = clock.now();
        const { permitted, stopped, ...written } = await transaction(
          pool,
          (tx) => permit(tx, { hash: deps.hash, timeoutMs }, some, lease, now),
          GROUP_TRANSACTION,
        );
        notify(written);
        for (const one of stopped) attempts.noteStopped(one);
        for (const one of permitted) {
          notPermitted.delete(one.send.id);
          void attempts.make(one).finally(() => free(one.send));
        }
      });
    } finally {
      // A permitted send keeps its capacity until its outcome is recorded.
      for (const one of notPermitted.values()) free(one);
    }
  }

  const releaseHeld = (group: readonly ClaimedSend[], lease: string): Promise<void> =>
    runGroup(group, lease, async (some) =>
      notify(
        await transaction(
          pool,
          (tx) => releaseHeldSends(tx, deps.hash, some, lease, clock.now()),
          GROUP_TRANSACTION,
        ),
      ),
    );

  const endUnknown = (group: readonly ClaimedSend[], lease: string): Promise<void> =>
    runGroup(group, lease, async (some) =>
      notify(
        await transaction(
          pool,
          (tx) => recordUnknownOutcomes(tx, deps, providerNames, some, lease, clock.now()),
          GROUP_TRANSACTION,
        ),
      ),
    );

  async function handle(claimed: readonly ClaimedSend[], lease: string): Promise<void> {
    if (stopping) await releaseClaims(claimed, lease);
    const inState = (state: ClaimedSend['state']): ClaimedSend[] =>
      claimed.filter((one) => one.state === state);
    await Promise.all([
      scheduler.run(inState('queued'), (group) => send(group, lease)),
      releaseHeld(inState('held'), lease),
      endUnknown(inState('submitting'), lease),
    ]);
  }

  return {
    async step() {
      const { lease, sends, more, complete } = await claimer.claim(scheduler.capacity(), clock.now());
      noteReach(complete);
      if (sends.length === 0) return false;
      scheduler.occupy(sends.filter(({ state }) => state === 'queued'));
      claimsInProgress += 1;
      void handle(sends, lease)
        .catch((error: unknown) => log.error({ error }, 'claimed sends failed'))
        .finally(() => {
          claimsInProgress -= 1;
          if (busy() === 0) deps.onIdle();
        });
      return more;
    },
    accepts: (businesses) => scheduler.accepts(businesses),
    busy,
    stop: () => {
      stopping = true;
    },
    abortCalls: () => attempts.abortAll(),
  };
}

const ofEach = <T>(of: (channel: Channel) => T): Record<Channel, T> => ({
  email: of('email'),
  sms: of('sms'),
  whatsapp: of('whatsapp'),
});
