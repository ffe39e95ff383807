import { monotonicMs } from '../kit/clock.ts';

/** How long to wait, in milliseconds, after these bytes of a tenant before more of them are read. */
export type Pace = (tenant: string, bytes: number) => number;

const SWEEP_AT = 1_000;

/**
 * Each tenant is read at `perSecond` in the long run, with `burst` at once. What it sends beyond that waits with the sender: bytes on
 * the wire cost processor time even where they are thrown away.
 */
export function createPace(
  { perSecond, burst }: { perSecond: number; burst: number },
  now = monotonicMs,
): Pace {
  /** When all that a tenant has sent is paid for. */
  const paidAt = new Map<string, number>();
  const burstMs = (burst / perSecond) * 1_000;
  return (tenant, bytes) => {
    const at = now();
    if (paidAt.size >= SWEEP_AT) for (const [name, paid] of paidAt) if (paid <= at) paidAt.delete(name);
    const paid = Math.max(paidAt.get(tenant) ?? at, at) + (bytes / perSecond) * 1_000;
    paidAt.set(tenant, paid);
    return Math.max(0, paid - at - burstMs);
  };
}
