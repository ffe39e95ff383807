import { isUnavailable } from '../db/transaction.ts';
import { SECOND } from '../kit/clock.ts';
import type { Channel } from '../nudges/channels.ts';
import { type AttemptDeps, createAttempts } from './attempts.ts';
import { byKey } from './byKey.ts';
import { type ClaimedSend, Claimer } from './claim.ts';
import { releaseClaims } from './claimSql.ts';
import { meetDeadlines } from './deadlines.ts';
import { apart, lanes } from './lanes.ts';
import { recordLost } from './lost.ts';
import { permit } from './permit.ts';
import { keyArrays } from './send.ts';
import { Slots } from './slots.ts';

export type WorkerDeps = AttemptDeps;

export interface Worker {
  /** Claims once and sets going what it found; answers whether there was anything. */
  step(): Promise<boolean>;
  /** How much of it is still under way. */
  busy(): number;
  /** Called whenever there is room again, or nothing left under way. */
  onRoom(listener: () => void): void;
  /** From now on what is claimed is given back. */
  stop(): void;
  /** Ends the calls under way. */
  breakOff(): void;
}

/** A business with more than this in one claim is permitted on its own, and at most so many at once. */
const FEW = 25;
const CROWDED_LANES = 2;
const AFTER_ABSENCE_MS = SECOND;

/** The phases of sending: claim, permit, call, record. Queue mechanics only; what the rules say is elsewhere. */
export function createWorker(deps: WorkerDeps): Worker {
  const { pool, clock, log, providers } = deps;
  const timeoutMs = ofEach((channel) => providers[channel].timeoutMs);
  const providerNames = ofEach((channel) => providers[channel].name);
  const slots = new Slots(ofEach((channel) => providers[channel].maxConcurrent));
  const claimer = new Claimer(pool);
  const isPaused = (channel: Channel): boolean => providers[channel].isPaused?.() ?? false;
  const attempts = createAttempts(deps);
  const inTurn = lanes(CROWDED_LANES);
  let stopping = false;
  let underWay = 0;
  let onRoom = (): void => {};

  const told = (deliveries: number): void => {
    if (deliveries > 0) deps.onEvents();
  };
  const free = (one: { business_id: string; channel: Channel }): void => {
    if (slots.release(one)) onRoom();
  };

  /** One list, or, when something in it fails, each alone: what is wrong with one must not hold up the others. */
  async function each(
    list: readonly ClaimedSend[],
    lease: string,
    work: (some: readonly ClaimedSend[]) => Promise<void>,
  ): Promise<void> {
    if (list.length === 0) return;
    try {
      await work(list);
    } catch (error) {
      log.error({ error, sends: list.length, send_id: list[0]?.id }, 'a list of sends failed');
      if (isUnavailable(error)) return giveBackLater(list, lease);
      // What fails on its own keeps its lease until that runs out, and is claimed again then.
      if (list.length > 1) for (const one of list) await each([one], lease, work);
    }
  }

  /** The database was out of reach or somebody held a row for too long: neither is worth waiting for a lease to end. */
  const giveBackLater = async (list: readonly ClaimedSend[], lease: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, AFTER_ABSENCE_MS));
    await giveBack(list, lease).catch(() => {});
  };

  const giveBack = async (list: readonly ClaimedSend[], lease: string): Promise<void> => {
    await releaseClaims(pool, lease, ...keyArrays(list), clock.now());
  };

  async function send(list: readonly ClaimedSend[], lease: string): Promise<void> {
    const slotsOf = new Map(list.map((one) => [one.id, one]));
    const keepSlots = (ids: readonly string[]): void => {
      for (const id of ids) slotsOf.delete(id);
    };
    try {
      if (stopping) return await giveBack(list, lease);
      await each(list, lease, async (some) => {
        const now = clock.now();
        const { permitted, deliveries } = await byKey(pool, (tx) =>
          permit(tx, { hash: deps.hash, timeoutMs }, some, lease, now),
        );
        told(deliveries);
        keepSlots(permitted.map((one) => one.send.id));
        for (const one of permitted) void attempts.make(one).finally(() => free(one.send));
      });
    } finally {
      // What was not permitted needs its slot no longer; what is called keeps it until its answer is written down.
      for (const one of slotsOf.values()) free(one);
    }
  }

  const meet = (list: readonly ClaimedSend[], lease: string): Promise<void> =>
    each(list, lease, async (some) =>
      told(await byKey(pool, (tx) => meetDeadlines(tx, deps.hash, some, lease, clock.now()))),
    );

  const lose = (list: readonly ClaimedSend[], lease: string): Promise<void> =>
    each(list, lease, async (some) =>
      told(await byKey(pool, (tx) => recordLost(tx, deps, providerNames, some, lease, clock.now()))),
    );

  async function handle(claimed: readonly ClaimedSend[], lease: string): Promise<void> {
    if (stopping) await giveBack(claimed, lease);
    const inState = (state: ClaimedSend['state']): ClaimedSend[] =>
      claimed.filter((one) => one.state === state);
    const { shared, own } = apart(inState('queued'), FEW);
    await Promise.all([
      send(shared, lease),
      ...own.map((list) => inTurn(() => send(list, lease))),
      meet(inState('held'), lease),
      lose(inState('submitting'), lease),
    ]);
  }

  return {
    async step() {
      const { lease, sends } = await claimer.claim(slots.room(isPaused), clock.now());
      if (sends.length === 0) return false;
      for (const one of sends) if (one.state === 'queued') slots.take(one);
      underWay += 1;
      void handle(sends, lease)
        .catch((error: unknown) => log.error({ error }, 'claimed sends could not be handled'))
        .finally(() => {
          underWay -= 1;
          onRoom();
        });
      return true;
    },
    busy: () => underWay + slots.inUse,
    onRoom: (listener) => {
      onRoom = listener;
    },
    stop: () => {
      stopping = true;
    },
    breakOff: () => attempts.breakOff(),
  };
}

const ofEach = <T>(of: (channel: Channel) => T): Record<Channel, T> => ({
  email: of('email'),
  sms: of('sms'),
  whatsapp: of('whatsapp'),
});
