/** The same seed gives the same faults in the same order; the machine's timing decides which of them matter. */
export interface SeededRandom {
  /** At least 0, below 1. */
  next(): number;
  /** True with this probability. */
  happens(part: number): boolean;
  /** Null for an empty list. */
  oneOf<T>(list: readonly T[]): T | null;
}

/** mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    happens: (part) => next() < part,
    oneOf: (list) => list[Math.floor(next() * list.length)] ?? null,
  };
}
