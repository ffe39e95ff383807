import { idBoundAt, sha256 } from './ids.ts';

const CHECK_BYTES = 6;
const ID = /^[0-9a-z]{12,64}$/;
/** The shortest that is one. */
const ID_MIN = 12;

export type PageCursors = ReturnType<typeof pageCursors>;

/**
 * Cursors of one kind of list. The checksum catches a truncated or concatenated cursor, or one of another list, which
 * would otherwise hide rows silently. It needs no secret, since a cursor grants no access.
 */
export function pageCursors(list: string) {
  /** An opaque cursor for the end of a page. It encodes only an id, so it works with any filter. */
  const at = (id: string): string => {
    const check = sha256(`${list} before ${id}`).subarray(0, CHECK_BYTES);
    return Buffer.concat([check, Buffer.from(id)]).toString('base64url');
  };
  return {
    at,
    /** For a page that begins with the newest before a moment. */
    before: (moment: Date): string => at(idBoundAt(moment).padEnd(ID_MIN, '0')),
    /** The id in a cursor; null: the cursor is invalid. */
    idIn(cursor: string): string | null {
      const id = Buffer.from(cursor, 'base64url').subarray(CHECK_BYTES).toString('latin1');
      return ID.test(id) && at(id) === cursor ? id : null;
    },
  };
}
