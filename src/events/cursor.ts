import { sha256 } from '../kit/ids.ts';

/** Right after the event `id` at `position` of a business's feed. */
export interface FeedPosition {
  position: number;
  /** Null where the position has no event any more, and before the first one. */
  id: string | null;
}

const CHECK_BYTES = 6;
const OWNER_BYTES = 6;
const CURSOR_CHARACTERS_MAX = 200;
const POSITION = /^([1-9][0-9]{0,15}|0)\.([0-9a-z]{0,64})$/;

/**
 * An opaque cursor. It names the position and the business, and nothing of a filter, so that it works with any. It needs no
 * secret, since it grants no access: a forged one leads to another position in the caller's own feed.
 */
export const feedCursor = (businessId: string, { position, id }: FeedPosition): string =>
  encode(ownerOf(businessId), `${position}.${id ?? ''}`);

/** The position in a cursor; null: it is none of ours. The checksum catches one that was cut or put together. */
export function readFeedCursor(
  cursor: string,
): { position: FeedPosition; isOf(businessId: string): boolean } | null {
  if (cursor.length > CURSOR_CHARACTERS_MAX) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  const owner = bytes.subarray(CHECK_BYTES, CHECK_BYTES + OWNER_BYTES);
  const text = bytes.subarray(CHECK_BYTES + OWNER_BYTES).toString('latin1');
  const [, position, id] = POSITION.exec(text) ?? [];
  // Compares the text too: several spellings decode to the same bytes, and only one is ours.
  if (position === undefined || encode(owner, text) !== cursor) return null;
  return {
    position: { position: Number(position), id: id === undefined || id === '' ? null : id },
    isOf: (businessId) => ownerOf(businessId).equals(owner),
  };
}

function encode(owner: Buffer, text: string): string {
  const named = Buffer.concat([owner, Buffer.from(text, 'latin1')]);
  const check = sha256(`event feed ${named.toString('latin1')}`).subarray(0, CHECK_BYTES);
  return Buffer.concat([check, named]).toString('base64url');
}

const ownerOf = (businessId: string): Buffer =>
  sha256(`event feed of ${businessId}`).subarray(0, OWNER_BYTES);
