import { peakMegabytesOf } from '../cost.ts';
import type { Compared, Measured, Round } from '../measure.ts';

/** What a row should reach. `ratio` is that of the rates, or of the times where `of` says so. */
export interface Target {
  text: string;
  isMet(ratio: number, ours: Measured): boolean;
  of?: 'time';
}

export const atLeast = (least: number): Target => ({
  text: `≥ ${least} ×`,
  isMet: (ratio) => ratio >= least,
});
export const atMostTime = (most: number): Target => ({
  text: `≤ ${most} × the time`,
  isMet: (ratio) => ratio <= most,
  of: 'time',
});
export const p99Under = (limit: number): Target => ({
  text: `p99 < ${limit} ms`,
  isMet: (_, { p99 = Number.POSITIVE_INFINITY }) => p99 < limit,
});
export const memoryUnder = (limit: number): Target => ({
  text: `< ${limit} MB`,
  isMet: (_, { rssMegabytes = Number.POSITIVE_INFINITY }) => rssMegabytes < limit,
});

export interface Row {
  name: string;
  baseline: string;
  target: Target | null;
  ours: Measured;
  theirs: Measured | null;
  ratio: number | null;
  met: boolean | null;
  rounds: readonly Round[];
}

export function comparedRow(name: string, baseline: string, target: Target | null, result: Compared): Row {
  const { ours, baseline: theirs, rounds } = result;
  const ratio = target?.of === 'time' ? 1 / result.ratio : result.ratio;
  return { name, baseline, target, ours, theirs, ratio, met: target?.isMet(ratio, ours) ?? null, rounds };
}

export function measuredRow(name: string, target: Target | null, ours: Measured): Row {
  const met = target?.isMet(0, ours) ?? null;
  return { name, baseline: '–', target, ours, theirs: null, ratio: null, met, rounds: [] };
}

/** Takes the rows of the report as they are measured. */
export type Reporter = ReturnType<typeof reporter>;

export const reporter = (onRow: (row: Row) => void) => ({
  compared: (...row: Parameters<typeof comparedRow>): void => onRow(comparedRow(...row)),
  measured: (...row: Parameters<typeof measuredRow>): void => onRow(measuredRow(...row)),
  /** The peak, since the current size depends on the last garbage collection. */
  memory(what: string, { pid }: { pid: number }): void {
    const ours = { perSecond: 0, rssMegabytes: peakMegabytesOf(pid) };
    onRow(measuredRow(`memory: ${what}, peak during the above`, memoryUnder(250), ours));
  },
});
