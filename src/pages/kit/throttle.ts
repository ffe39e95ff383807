import type { Clock } from '../../kit/clock.ts';

export type Throttle = ReturnType<typeof throttle>;

interface Options {
  clock: Clock;
  /** The limit per name and window. */
  most: number;
  windowMs: number;
  /** How many names are kept. Past it the least recently used is dropped, so memory stays bounded. */
  names: number;
}

/** Counts per name in time windows, in this process alone: it slows abuse down, and no rule depends on it. */
export function throttle({ clock, most, windowMs, names }: Options) {
  const windows = new Map<string, { until: number; count: number }>();
  const current = (name: string) => {
    const window = windows.get(name);
    return window && window.until > clock.now().getTime() ? window : null;
  };
  return {
    /** Whether this name has reached its limit in the current window. */
    isSpent: (name: string) => (current(name)?.count ?? 0) >= most,
    spend(name: string) {
      const window = current(name) ?? { until: clock.now().getTime() + windowMs, count: 0 };
      window.count += 1;
      // Reinserted, so that the map's first key is the least recently used.
      windows.delete(name);
      windows.set(name, window);
      const [leastRecent] = windows.keys();
      if (windows.size > names && leastRecent !== undefined) windows.delete(leastRecent);
    },
  };
}
