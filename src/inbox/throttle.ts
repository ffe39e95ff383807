import type { Clock } from '../kit/clock.ts';

export interface Throttle {
  /** Whether this one has used up what it may do for now. */
  isSpent(name: string): boolean;
  /** Counts one. */
  spend(name: string): void;
}

interface Options {
  clock: Clock;
  /** How many in one window. */
  most: number;
  windowMs: number;
  /** How many names are remembered: past it the one heard of longest ago is forgotten, so memory stays bounded. */
  names: number;
}

/** Counts per name in windows of time, in this process alone: it slows abuse down, no rule depends on it. */
export function throttle({ clock, most, windowMs, names }: Options): Throttle {
  const windows = new Map<string, { until: number; count: number }>();
  const current = (name: string) => {
    const window = windows.get(name);
    return window && window.until > clock.now().getTime() ? window : null;
  };
  return {
    isSpent: (name) => (current(name)?.count ?? 0) >= most,
    spend(name) {
      const window = current(name) ?? { until: clock.now().getTime() + windowMs, count: 0 };
      window.count += 1;
      // Put at the end again: a map remembers the order in which its keys came.
      windows.delete(name);
      windows.set(name, window);
      const [longestAgo] = windows.keys();
      if (windows.size > names && longestAgo !== undefined) windows.delete(longestAgo);
    },
  };
}
