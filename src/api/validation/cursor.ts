import type { Format } from './strings.ts';

/** The format of a list's cursors; the validated value is the id that a cursor holds. */
export const cursorFormat =
  (idIn: (cursor: string) => string | null): Format =>
  (cursor) => {
    const value = idIn(cursor);
    return value === null
      ? { ok: false, fault: 'this is not a cursor of ours: take next_cursor of the page before' }
      : { ok: true, value };
  };
