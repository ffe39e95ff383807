import { statement } from '../db/statement.ts';

interface OpenRequest {
  token_hash: Buffer;
  code_hash: Buffer;
  member_id: string;
}

/** Counts a try before the code is compared: of many at once, no more than the limit see the row. */
export const countTry = statement<[browserHash: Buffer, now: Date, most: number], OpenRequest>(`
  update sign_in_links set code_tries = code_tries + 1,
    expires_at = case when code_tries + 1 >= $3 then created_at else expires_at end
  where browser_hash = $1 and expires_at > $2 and code_hash is not null
  returning token_hash, code_hash, member_id`);

/** Strangers in many networks could try codes for as long as they like, five at a time; the link is not in danger. */
export const countTriesSince = statement<[memberId: string, since: Date], { count: number }>(`
  select coalesce(sum(code_tries), 0)::int as count from sign_in_links where member_id = $1 and created_at > $2`);

export const endRequest = statement<[tokenHash: Buffer]>(`
  update sign_in_links set expires_at = created_at where token_hash = $1`);
