import { type Channel, channels } from '../contract/channels.ts';
import { BusinessPacing } from './businessPacing.ts';
import { ChannelCapacity, type ClaimCapacity, type Occupant } from './capacity.ts';
import { limitGroups, splitGroups } from './grouping.ts';

/** A business with more sends than this in one claim gets its own group. */
const SHARED_GROUP_MAX = 25;
/** Own groups in progress at once, over all businesses. */
const OWN_GROUPS_AT_ONCE = 2;
/** Groups in progress per business: while one group is permitted, the next can be claimed. */
const GROUPS_PER_BUSINESS = 2;

interface SchedulerDeps {
  /** The concurrency limit of each channel's provider. */
  maxConcurrent: Record<Channel, number>;
  /** Whether the channel's provider account needs attention; meanwhile its sends stay queued. */
  isPaused: (channel: Channel) => boolean;
  /** Monotonic milliseconds. */
  elapsedMs: () => number;
  /** A claim may find more than before, now or after some milliseconds. */
  onCapacity: () => void;
  onCapacityIn: (milliseconds: number) => void;
}

/**
 * Decides what the outbox does next. It only counts: it reads nothing from the database and applies no gate.
 *
 *        capacity()             occupy(), run()            release()
 *   ┌──▶ what may be claimed ──▶ groups, each permitted ──▶ a call has ended ──┐
 *   │                            in one transaction                            │
 *   └────────────────────────────── onCapacity ◀───────────────────────────────┘
 *
 * - Capacity per channel: the provider's concurrency limit, or none while it is paused (capacity.ts).
 * - Fair share: no business uses more than three quarters of a channel or has more than two groups in progress, so that the
 *   next business finds capacity and does not wait for the locks of a busy one (capacity.ts, businessPacing.ts).
 * - Grouping: sends of quiet businesses share a group, a busy business gets its own (grouping.ts). After a small group, a
 *   business gathers the next one for up to 40 ms, since the fixed cost of a group equals ten sends (businessPacing.ts).
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

  /** What may be claimed now. A business that must wait has no capacity in any channel, but its held sends can be claimed. */
  capacity(): ClaimCapacity {
    const open = this.#channels.available(this.#deps.isPaused);
    const waiting = this.#pacing
      .waiting(this.#deps.elapsedMs())
      .flatMap((business_id) => channels.map((channel) => ({ business_id, channel })));
    return { ...open, full: [...open.full, ...waiting] };
  }

  /** Whether a claim may find new sends of these businesses. If not, `onCapacity` is called when it may. */
  accepts(businesses: readonly string[]): boolean {
    return !this.#pacing.allWait(businesses, this.#deps.elapsedMs());
  }

  /** Occupant sends whose call has not ended. */
  get inUse(): number {
    return this.#channels.inUse;
  }

  occupy(sends: readonly Occupant[]): void {
    for (const send of sends) this.#channels.occupy(send);
  }

  release(send: Occupant): void {
    if (this.#channels.release(send)) this.#deps.onCapacity();
  }

  /** Splits claimed sends into groups and runs them. A group counts as in progress from now on, even while it waits. */
  async run<Send extends Occupant>(sends: readonly Send[], work: (group: Send[]) => Promise<void>) {
    const { shared, own } = splitGroups(sends, SHARED_GROUP_MAX);
    await Promise.all([
      this.#count(shared, () => work(shared)),
      ...own.map((group) => this.#count(group, () => this.#inOwnGroup(() => work(group)))),
    ]);
  }

  #count(group: readonly Occupant[], work: () => Promise<void>): Promise<void> {
    if (group.length === 0) return Promise.resolve();
    const { end, gathers } = this.#pacing.begin(group, this.#deps.elapsedMs());
    for (const wait of gathers) this.#deps.onCapacityIn(wait);
    return work().finally(() => {
      if (end()) this.#deps.onCapacity();
    });
  }
}
