import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND } from '../kit/clock.ts';

/** Spaces calls out so that no more than so many begin in a second: what a provider allows is cheaper kept than tried. */
export class ProviderPace {
  readonly #everyMs: number;
  #next = 0;

  constructor(perSecond: number) {
    this.#everyMs = SECOND / perSecond;
  }

  /** Waits for its turn. Ends early when the signal fires. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = monotonicMs();
    const mine = Math.max(now, this.#next);
    this.#next = mine + this.#everyMs;
    if (mine > now) await sleep(mine - now, undefined, { signal }).catch(() => {});
  }
}
