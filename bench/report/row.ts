import type { Compared, Measured, Round } from '../measure.ts';

export type Target =
  | { of: 'ratio'; atLeast: number }
  | { of: 'time'; atMost: number }
  | { of: 'p99'; under: number }
  | { of: 'memory'; under: number }
  | null;

export interface Row {
  name: string;
  baseline: string;
  target: Target;
  ours: Measured;
  theirs: Measured | null;
  /** Of the rates; of the times when the target is one of time. */
  ratio: number | null;
  met: boolean | null;
  rounds: readonly Round[];
}

export function comparedRow(work: string, baseline: string, target: Target, result: Compared): Row {
  const ratio = target?.of === 'time' ? 1 / result.ratio : result.ratio;
  return {
    name: work,
    baseline,
    target,
    ours: result.ours,
    theirs: result.baseline,
    ratio,
    met: isMet(target, ratio, result.ours),
    rounds: result.rounds,
  };
}

export const measuredRow = (work: string, target: Target, ours: Measured): Row => ({
  name: work,
  baseline: '–',
  target,
  ours,
  theirs: null,
  ratio: null,
  met: isMet(target, 0, ours),
  rounds: [],
});

function isMet(target: Target, ratio: number, ours: Measured): boolean | null {
  switch (target?.of) {
    case 'ratio':
      return ratio >= target.atLeast;
    case 'time':
      return ratio <= target.atMost;
    case 'p99':
      return (ours.p99 ?? Number.POSITIVE_INFINITY) < target.under;
    case 'memory':
      return (ours.rssMegabytes ?? Number.POSITIVE_INFINITY) < target.under;
    case undefined:
      return null;
  }
}

export function targetText(target: Target): string {
  switch (target?.of) {
    case 'ratio':
      return `≥ ${target.atLeast} ×`;
    case 'time':
      return `≤ ${target.atMost} × the time`;
    case 'p99':
      return `p99 < ${target.under} ms`;
    case 'memory':
      return `< ${target.under} MB`;
    case undefined:
      return '–';
  }
}
