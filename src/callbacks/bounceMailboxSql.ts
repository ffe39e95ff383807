import { statement } from '../db/statement.ts';

/** Answers nothing where another process reads it, or has read it just now. */
export const claimBounceMailbox = statement<[now: Date, lease: Date], { next_read_at: Date }>(`
  update bounce_mailbox set next_read_at = $2 where next_read_at <= $1 returning next_read_at`);

/** Writes nothing where the lease is lost. */
export const setNextBounceRead = statement<[lease: Date, nextReadAt: Date]>(`
  update bounce_mailbox set next_read_at = $2 where next_read_at = $1`);
