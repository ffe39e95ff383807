import { median } from '../test/support/statistics.ts';
import { startChild } from './children.ts';

/** One run of the probe's fixed work, with its CPU time. */
export interface ProbeTick {
  at: number;
  microseconds: number;
}

/** In milliseconds of the wall clock. */
export interface Span {
  from: number;
  to: number;
}

export const durationOf = ({ from, to }: Span): number => to - from;

/** The wall clock of the probe, finer than a millisecond. */
export const wallMs = (): number => performance.timeOrigin + performance.now();

/** A busy machine does not raise the CPU time of the same work this much; a host pause does. */
const TIMES_AS_LONG = 2;
/** The backlog of a pause is worked off in about this time. */
const AFTERMATH_MS = 50;
const EVERY_MS = 5;
const STEPS = 60_000;

/**
 * A host sometimes pauses a virtual machine, all cores at once, without notice. A measurement in progress at such a time says
 * nothing about the software; these are the spans to leave out.
 */
export function hostPauses(ticks: readonly ProbeTick[]): Span[] {
  const slow = TIMES_AS_LONG * median(ticks.map(({ microseconds }) => microseconds));
  const spans: Span[] = [];
  for (const { at, microseconds } of ticks) {
    if (microseconds <= slow) continue;
    const from = at - microseconds / 1_000;
    const to = at + AFTERMATH_MS;
    const last = spans.at(-1);
    if (last && from <= last.to) last.to = to;
    else spans.push({ from, to });
  }
  return spans;
}

/** The measurements that overlap none of the spans. */
export const undisturbed = <Seen extends Span>(seen: readonly Seen[], spans: readonly Span[]): Seen[] =>
  seen.filter(({ from, to }) => !spans.some((span) => from <= span.to && to >= span.from));

/** The share of the periods that the spans take. */
export function shareOfTime(periods: readonly Span[], spans: readonly Span[]): number {
  const total = periods.reduce((sum, period) => sum + durationOf(period), 0);
  const overlaps = periods.flatMap(({ from, to }) =>
    spans.map((span) => Math.max(0, Math.min(span.to, to) - Math.max(span.from, from))),
  );
  return total === 0 ? 0 : overlaps.reduce((sum, overlap) => sum + overlap, 0) / total;
}

/** `read` answers the host's pauses so far. */
export async function startPauseProbe(): Promise<{ read(): Promise<Span[]> }> {
  const child = await startChild('hostPauses.ts');
  return { read: async () => hostPauses(await child.call<ProbeTick[]>('ticks')) };
}

/**
 * Repeats the same small piece of work, in its own process, and records the CPU time of each run. On a busy machine it takes
 * the usual CPU time; while the host pauses the machine it takes longer.
 */
export default async function openPauseProbe() {
  const ticks: ProbeTick[] = [];
  setInterval(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    ticks.push({ at: Date.now(), microseconds: user + system });
  }, EVERY_MS);
  return { ticks: async () => ticks };
}

function work(): number {
  let sum = 0;
  for (let step = 0; step < STEPS; step += 1) sum = (sum * 31 + step) | 0;
  return sum;
}
