import { sha256 } from '../kit/ids.ts';

const CHECK_BYTES = 6;
const ID = /^[0-9a-z]{12,64}$/;

/** Where a page ended, as text that means nothing to its reader. It names a place in time, so it fits any filter. */
export const cursorAt = (id: string): string =>
  Buffer.concat([checkOf(id), Buffer.from(id)]).toString('base64url');

/**
 * The id that a cursor names, or null for text that is none of ours. The check catches a cursor cut short or glued
 * together, which would otherwise hide messages silently; it is no secret, since a cursor opens nothing.
 */
export function idAt(cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.subarray(CHECK_BYTES).toString('latin1');
  return ID.test(id) && cursorAt(id) === cursor ? id : null;
}

const checkOf = (id: string): Buffer => sha256(`message list before ${id}`).subarray(0, CHECK_BYTES);
