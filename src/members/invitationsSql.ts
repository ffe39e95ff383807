import { statement } from '../db/statement.ts';

/** Returns no row if the last one is younger than `since`. Of two at once, one waits for the other's row and then finds it. */
export const countInvitation = statement<[addressHash: Buffer, now: Date, since: Date], { sent_at: Date }>(`
  insert into member_invitations (address_hash, sent_at) values ($1, $2)
  on conflict (address_hash) do update set sent_at = excluded.sent_at where member_invitations.sent_at <= $3
  returning sent_at`);
