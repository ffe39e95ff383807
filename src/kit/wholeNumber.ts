/** Fits into the database's integers, with a margin for sums. */
export const LARGEST_COUNT = 1_000_000_000;

/** A count that a person typed; null: it is not a whole number within the limits. */
export function parseCount(text: string, least: number, most: number = LARGEST_COUNT): number | null {
  const value = Number(text);
  return /^\d{1,12}$/.test(text) && value >= least && value <= most ? value : null;
}
