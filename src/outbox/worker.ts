import { isUnavailable } from '../db/transaction.ts';
import { SECOND } from '../kit/clock.ts';
import { type Channel, channels } from '../nudges/channels.ts';
import { createSendAttempts, type SendAttemptDeps } from './attempts.ts';
import { type ClaimedSend, Claimer } from './claim.ts';
import { releaseSendClaims } from './claimSql.ts';
import { releaseHeldSends } from './heldSends.ts';
import { apart, lanes } from './lanes.ts';
import { permit } from './permit.ts';
import { retryOnConflict, retryOnConflictPipelined } from './retryOnConflict.ts';
import { keyArrays } from './send.ts';
import { type Room, Slots } from './slots.ts';
import type { TransitionResult } from './transition.ts';
import { Turns } from './turns.ts';
import { recordUnknownOutcomes } from './unknownOutcomes.ts';

export interface OutboxWorkerDeps extends SendAttemptDeps {
  /** Another step may find more. */
  onRoom: () => void;
  /** The same, after so long. */
  onRoomIn: (milliseconds: number) => void;
  /** Milliseconds that only ever grow. */
  elapsedMs: () => number;
  /** Nothing is under way any more. */
  onRest: () => void;
}

export interface OutboxWorker {
  /** Claims once and sets going what it found; answers whether there may be more at once. */
  step(): Promise<boolean>;
  /** Whether a step may accept what is new of these businesses. If not, one follows when it is their turn. */
  mayTake(businesses: readonly string[]): boolean;
  /** How much of it is still under way. */
  busy(): number;
  /** From now on what is claimed is given back. */
  stop(): void;
  /** Ends the calls under way. */
  breakOff(): void;
}

/** A business with more than this in one claim is permitted on its own, and at most so many at once. */
const FEW = 25;
const CROWDED_LANES = 2;
/** Of one business; while one is worked on, the next can be claimed. */
const LISTS_OF_ONE = 2;
const AFTER_ABSENCE_MS = SECOND;

/** The phases of sending: claim, permit, call, record. Queue mechanics only; what the rules say is elsewhere. */
export function createOutboxWorker(deps: OutboxWorkerDeps): OutboxWorker {
  const { pool, clock, log, providers, onRoom } = deps;
  const timeoutMs = ofEach((channel) => providers[channel].timeoutMs);
  const providerNames = ofEach((channel) => providers[channel].name);
  const slots = new Slots(ofEach((channel) => providers[channel].maxConcurrent));
  const claimer = new Claimer(pool);
  const isPaused = (channel: Channel): boolean => providers[channel].isPaused?.() ?? false;
  const attempts = createSendAttempts(deps, told);
  const inTurn = lanes(CROWDED_LANES);
  const turns = new Turns(LISTS_OF_ONE);
  let stopping = false;
  let underWay = 0;

  function told({ deliveries, due }: TransitionResult): void {
    if (deliveries > 0) deps.onEvents();
    if (due) onRoom();
  }
  const busy = (): number => underWay + slots.inUse;
  const free = (one: { business_id: string; channel: Channel }): void => {
    if (slots.release(one)) onRoom();
    if (busy() === 0) deps.onRest();
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
    onRoom();
  };

  const giveBack = async (list: readonly ClaimedSend[], lease: string): Promise<void> => {
    await releaseSendClaims(pool, lease, ...keyArrays(list), clock.now());
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
        const { permitted, ...written } = await retryOnConflictPipelined(pool, (tx) =>
          permit(tx, { hash: deps.hash, timeoutMs }, some, lease, now),
        );
        told(written);
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
      told(await retryOnConflict(pool, (tx) => releaseHeldSends(tx, deps.hash, some, lease, clock.now()))),
    );

  const lose = (list: readonly ClaimedSend[], lease: string): Promise<void> =>
    each(list, lease, async (some) =>
      told(
        await retryOnConflictPipelined(pool, (tx) =>
          recordUnknownOutcomes(tx, deps, providerNames, some, lease, clock.now()),
        ),
      ),
    );

  /** Whoever's turn it is not has no room in any channel; its deadlines are met all the same. */
  function room(): Room {
    const open = slots.room(isPaused);
    const waiting = turns
      .taken(deps.elapsedMs())
      .flatMap((business_id) => channels.map((channel) => ({ business_id, channel })));
    return { ...open, full: [...open.full, ...waiting] };
  }

  async function handle(claimed: readonly ClaimedSend[], lease: string): Promise<void> {
    if (stopping) await giveBack(claimed, lease);
    const inState = (state: ClaimedSend['state']): ClaimedSend[] =>
      claimed.filter((one) => one.state === state);
    const { shared, own } = apart(inState('queued'), FEW);
    // Their turns are taken now, also of those that wait for a lane.
    const sending = (list: readonly ClaimedSend[], inLane = inTurn): Promise<void> => {
      const { end, gathers } = turns.begin(list, deps.elapsedMs());
      for (const wait of gathers) deps.onRoomIn(wait);
      return inLane(() => send(list, lease)).finally(() => {
        if (end()) onRoom();
      });
    };
    await Promise.all([
      sending(shared, (work) => work()),
      ...own.map((list) => sending(list)),
      meet(inState('held'), lease),
      lose(inState('submitting'), lease),
    ]);
  }

  return {
    async step() {
      const { lease, sends, more } = await claimer.claim(room(), clock.now());
      if (sends.length === 0) return false;
      for (const one of sends) if (one.state === 'queued') slots.take(one);
      underWay += 1;
      void handle(sends, lease)
        .catch((error: unknown) => log.error({ error }, 'claimed sends could not be handled'))
        .finally(() => {
          underWay -= 1;
          if (busy() === 0) deps.onRest();
        });
      return more;
    },
    mayTake: (businesses) => !turns.allWait(businesses, deps.elapsedMs()),
    busy,
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
