import { CLAIMED_SENDS_MAX } from '../config/limits.ts';
import { type Channel, channels } from '../contract/channels.ts';

export interface Occupant {
  business_id: string;
  channel: Channel;
}

/** The channels and businesses for which a claim may find sends, and how many. */
export interface ClaimCapacity {
  channels: Channel[];
  limit: number;
  /** Businesses that use up their share of a channel. */
  full: Occupant[];
}

/** A channel is claimed for only when this part of it is free: a claim for one send costs as much as one for fifty. */
const MIN_FREE_PART = 1 / 4;
/** No business uses more than this part of a channel, so that the next business always finds capacity. */
const FAIR_SHARE = 3 / 4;
/** The limit while every channel is full: held sends are still released, and calls without an outcome still ended. */
const CLAIM_WITHOUT_CALLS = 50;

/** Counts the calls in progress, to keep each provider within its limit and each business within its share. */
export class ChannelCapacity {
  readonly #capacity: Record<Channel, number>;
  readonly #used: Record<Channel, number> = { email: 0, sms: 0, whatsapp: 0 };
  readonly #byBusiness = new Map<string, { claimed: Occupant; count: number }>();

  constructor(capacity: Record<Channel, number>) {
    this.#capacity = capacity;
  }

  get inUse(): number {
    return this.#used.email + this.#used.sms + this.#used.whatsapp;
  }

  available(isPaused: (channel: Channel) => boolean = () => false): ClaimCapacity {
    const open = channels.filter((channel) => this.#isOpen(channel) && !isPaused(channel));
    const free = open.map((channel) => this.#capacity[channel] - this.#used[channel]);
    const full = [...this.#byBusiness.values()].flatMap(({ claimed, count }) =>
      count >= this.#share(claimed.channel) ? [claimed] : [],
    );
    return {
      channels: open,
      limit: open.length === 0 ? CLAIM_WITHOUT_CALLS : Math.min(CLAIMED_SENDS_MAX, ...free),
      full,
    };
  }

  occupy({ business_id, channel }: Occupant): void {
    this.#used[channel] += 1;
    this.#count({ business_id, channel }, 1);
  }

  /** Returns whether a claim may find more than before. */
  release({ business_id, channel }: Occupant): boolean {
    const wasOpen = this.#isOpen(channel);
    this.#used[channel] -= 1;
    const wasJustFull = this.#count({ business_id, channel }, -1) + 1 === this.#share(channel);
    return wasJustFull || (!wasOpen && this.#isOpen(channel));
  }

  #count({ business_id, channel }: Occupant, change: 1 | -1): number {
    const key = `${channel} ${business_id}`;
    const count = (this.#byBusiness.get(key)?.count ?? 0) + change;
    if (count <= 0) this.#byBusiness.delete(key);
    else this.#byBusiness.set(key, { claimed: { business_id, channel }, count });
    return count;
  }

  #isOpen(channel: Channel): boolean {
    return (
      this.#capacity[channel] - this.#used[channel] >=
      Math.max(1, Math.floor(this.#capacity[channel] * MIN_FREE_PART))
    );
  }

  #share(channel: Channel): number {
    return Math.max(1, Math.floor(this.#capacity[channel] * FAIR_SHARE));
  }
}
