/** What each of `count` gets of a limit: an equal part, and at least one. */
export const equalShare = (limit: number, count: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, count)));
