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

/** A busy machine does not raise the CPU time of the same work this much; a host pause does. */
const TIMES_AS_LONG = 2;
/** The backlog of a pause is worked off in about this time. */
const AFTERMATH_MS = 50;

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

/** The share of the probe's time that the spans take. */
export function shareOfTime(spans: readonly Span[], ticks: readonly ProbeTick[]): number {
  const [first, last] = [ticks[0], ticks.at(-1)];
  if (!first || !last || last.at === first.at) return 0;
  return spans.reduce((sum, { from, to }) => sum + to - from, 0) / (last.at - first.at);
}

export interface PauseProbe {
  /** The host's pauses so far, and their share of the time. */
  read(): Promise<{ spans: Span[]; share: number }>;
  stop(): Promise<void>;
}

export async function startPauseProbe(): Promise<PauseProbe> {
  const child = await startChild('pauseProbeProcess.ts');
  return {
    async read() {
      const ticks = await child.call<ProbeTick[]>('ticks');
      const spans = hostPauses(ticks);
      return { spans, share: shareOfTime(spans, ticks) };
    },
    stop: child.stop,
  };
}
