import { type Channel, channels } from '../contract/channels.ts';
import { BusinessPacing } from './businessPacing.ts';
import { ChannelCapacity, type ClaimCapacity } from './capacity.ts';
import { limitGroups, splitGroups } from './grouping.ts';

/** A business with more sends than this in one claim gets groups of its own. */
const SHARED_GROUP_MAX = 25;
/** Groups of one business alone that are permitted at once, of all businesses together. */
const OWN_GROUPS_AT_ONCE = 2;
/** Of one business: while one group is permitted, the next can be claimed. */
const GROUPS_PER_BUSINESS = 2;

export interface SchedulerDeps {
  /** How many calls a channel's provider takes at once. */
  maxConcurrent: Record<Channel, number>;
  /** A channel whose provider account needs attention: its sends wait in the queue. */
  isPaused: (channel: Channel) => boolean;
  /** Milliseconds that only ever grow. */
  elapsedMs: () => number;
  /** A claim may find more than before, now or after some milliseconds. */
  onCapacity: () => void;
  onCapacityIn: (milliseconds: number) => void;
}

interface Scheduled {
  business_id: string;
  channel: Channel;
}

/**
 * Decides what the outbox does next. It counts; it never waits for the database and knows no rule about a send.
 *
 *        capacity()             occupy(), run()            release()
 *   ┌──▶ what may be claimed ──▶ groups, each permitted ──▶ a call has ended ──┐
 *   │                            in one transaction                            │
 *   └────────────────────────────── onCapacity ◀───────────────────────────────┘
 *
 * - Capacity per channel: as many calls as its provider takes, none while it is paused (capacity.ts).
 * - Fair share: no business holds more than three quarters of a channel, and none has more than two groups in progress, so
 *   that the next business finds capacity and does not wait behind the locks of a busy one (capacity.ts, businessPacing.ts).
 * - Grouping: sends of quiet businesses share a group, a busy business gets its own (grouping.ts). A business whose last group was
 *   short gathers the next one for up to 40 ms, since a group costs as much as ten sends in it (businessPacing.ts).
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #channels: ChannelCapacity;
  readonly #pacing = new BusinessPacing(GROUPS_PER_BUSINESS);
  readonly #inOwnGroup = limitGroups(OWN_GROUPS_AT_ONCE);

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#channels = new ChannelCapacity(deps.maxConcurrent);
  }

  /** What may be claimed now. A business that must wait has no capacity in any channel; its held sends are released all the same. */
  capacity(): ClaimCapacity {
    const open = this.#channels.available(this.#deps.isPaused);
    const waiting = this.#pacing
      .waiting(this.#deps.elapsedMs())
      .flatMap((business_id) => channels.map((channel) => ({ business_id, channel })));
    return { ...open, full: [...open.full, ...waiting] };
  }

  /** Whether a claim may find anything new of these businesses. If not, `onCapacity` follows when it may. */
  accepts(businesses: readonly string[]): boolean {
    return !this.#pacing.allWait(businesses, this.#deps.elapsedMs());
  }

  /** Calls that were claimed and have not ended. */
  get inUse(): number {
    return this.#channels.inUse;
  }

  occupy(sends: readonly Scheduled[]): void {
    for (const send of sends) this.#channels.occupy(send);
  }

  release(send: Scheduled): void {
    if (this.#channels.release(send)) this.#deps.onCapacity();
  }

  /** Splits claimed sends into groups and runs each when its turn comes. All of them count from now on, also those that wait. */
  async run<Send extends Scheduled>(
    sends: readonly Send[],
    work: (group: Send[]) => Promise<void>,
  ): Promise<void> {
    const { shared, own } = splitGroups(sends, SHARED_GROUP_MAX);
    await Promise.all([
      this.#count(shared, () => work(shared)),
      ...own.map((group) => this.#count(group, () => this.#inOwnGroup(() => work(group)))),
    ]);
  }

  #count(group: readonly Scheduled[], work: () => Promise<void>): Promise<void> {
    if (group.length === 0) return Promise.resolve();
    const { end, gathers } = this.#pacing.begin(group, this.#deps.elapsedMs());
    for (const wait of gathers) this.#deps.onCapacityIn(wait);
    return work().finally(() => {
      if (end()) this.#deps.onCapacity();
    });
  }
}
