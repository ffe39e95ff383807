/** Round values from 0 up to the first at or above the largest, in steps of 1, 2 or 5 times a power of ten. */
export function roundTicks(largest: number, steps = 4, smallestStep = 1): number[] {
  const rough = Math.max(largest / steps, smallestStep);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
  const count = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

export interface Stacked {
  /** The place of the value in its column. */
  index: number;
  from: number;
  to: number;
}

/** The values of a column one upon the other, the first at the bottom. What is not above 0 takes no place. */
export function stackOf(values: readonly (number | null)[]): Stacked[] {
  let top = 0;
  return values.flatMap((value, index) => {
    if (value === null || value <= 0) return [];
    const from = top;
    top += value;
    return [{ index, from, to: top }];
  });
}

export interface Stroke {
  /** The places of its two columns; the same one twice: a point between two gaps. */
  from: number;
  to: number;
  start: number;
  end: number;
}

/** The strokes of a line through the values that are known. */
export function strokesOf(values: readonly (number | null)[]): Stroke[] {
  return values.flatMap((start, from) => {
    if (start === null) return [];
    const end = values[from + 1] ?? null;
    if (end !== null) return [{ from, to: from + 1, start, end }];
    return (values[from - 1] ?? null) === null ? [{ from, to: from, start, end: start }] : [];
  });
}

const LABELS_MAX = 6;

/** Each how many-th column is labelled, from the last one back; on a phone every second of them. Few columns have short labels. */
export const labelEvery = (columns: number): number =>
  columns <= 2 * LABELS_MAX ? 1 : Math.ceil(columns / LABELS_MAX);
