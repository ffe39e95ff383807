import type { Compared, Measured, Round } from '../measure.ts';

/** What a row has to reach. */
export type Target =
  | { of: 'ratio'; atLeast: number }
  | { of: 'time'; atMost: number }
  | { of: 'p99'; under: number }
  | { of: 'memory'; under: number }
  | null;

/** A line of the report. */
export interface Row {
  name: string;
  baseline: string;
  target: Target;
  ours: Measured;
  theirs: Measured | null;
  /** Of the rates; of the times, where the reach is one of time. */
  ratio: number | null;
  met: boolean | null;
  /** All that both sides did, in turn. */
  rounds: readonly Round[];
}

export function comparedRow(work: string, limit: string, reach: Target, result: Compared): Row {
  const ratio = reach?.of === 'time' ? 1 / result.ratio : result.ratio;
  return {
    name: work,
    baseline: limit,
    target: reach,
    ours: result.ours,
    theirs: result.baseline,
    ratio,
    met: isMet(reach, ratio, result.ours),
    rounds: result.rounds,
  };
}

export const measuredRow = (work: string, reach: Target, ours: Measured): Row => ({
  name: work,
  baseline: '–',
  target: reach,
  ours,
  theirs: null,
  ratio: null,
  met: isMet(reach, 0, ours),
  rounds: [],
});

function isMet(reach: Target, ratio: number, ours: Measured): boolean | null {
  switch (reach?.of) {
    case 'ratio':
      return ratio >= reach.atLeast;
    case 'time':
      return ratio <= reach.atMost;
    case 'p99':
      return (ours.p99 ?? Number.POSITIVE_INFINITY) < reach.under;
    case 'memory':
      return (ours.rssMegabytes ?? Number.POSITIVE_INFINITY) < reach.under;
    case undefined:
      return null;
  }
}

export function targetText(reach: Target): string {
  switch (reach?.of) {
    case 'ratio':
      return `≥ ${reach.atLeast} ×`;
    case 'time':
      return `≤ ${reach.atMost} × the time`;
    case 'p99':
      return `p99 < ${reach.under} ms`;
    case 'memory':
      return `< ${reach.under} MB`;
    case undefined:
      return '–';
  }
}
