import { isIPv6 } from 'node:net';
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
  /** How many names are remembered: past it the one that has waited longest is forgotten, so memory stays bounded. */
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
      windows.delete(name);
      windows.set(name, window);
      const [oldest] = windows.keys();
      if (windows.size > names && oldest !== undefined) windows.delete(oldest);
    },
  };
}

/** Who asks. With IPv6 one household or server has a whole /64 to ask from. */
export function sourceOf(ip: string): string {
  if (!isIPv6(ip) || ip.toLowerCase().startsWith('::ffff:')) return ip;
  const [head = '', tail] = ip.split('%')[0]?.split('::') ?? [];
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
