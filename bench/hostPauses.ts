import { median } from '../test/support/statistics.ts';
import { startChild } from './children.ts';

/** One piece of work that is always the same: when it was done, and the processor time that it took. */
export interface ProbeTick {
  at: number;
  microseconds: number;
}

/** In milliseconds of the wall clock. */
export interface Span {
  from: number;
  to: number;
}

/** A processor that needs so many times as long for the same work is not only busy: waiting for one is not counted. */
const TIMES_AS_LONG = 2;
/** What piled up during a pause is worked off in about this time. */
const AFTERMATH_MS = 50;

/**
 * Virtual machines are halted by their hosts now and then, all processors at once, and nothing inside is told. What was under
 * way then says nothing about the software; these are the moments to leave out.
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

/** Those that were not under way at any of these moments. */
export const undisturbed = <Seen extends Span>(seen: readonly Seen[], spans: readonly Span[]): Seen[] =>
  seen.filter(({ from, to }) => !spans.some((span) => from <= span.to && to >= span.from));

/** The part of the whole time that these moments take. */
export function shareOfTime(spans: readonly Span[], ticks: readonly ProbeTick[]): number {
  const [first, last] = [ticks[0], ticks.at(-1)];
  if (!first || !last || last.at === first.at) return 0;
  return spans.reduce((sum, { from, to }) => sum + to - from, 0) / (last.at - first.at);
}

export interface PauseProbe {
  /** Until now: when the host paused this machine, and for which share of the time. */
  read(): Promise<{ spans: Span[]; share: number }>;
  stop(): Promise<void>;
}

/** Feels the machine's probe from now on. */
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
