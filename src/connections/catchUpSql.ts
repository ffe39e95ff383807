import { statement } from '../db/statement.ts';
import type { ConnectionStatus } from './settings.ts';

const TO_READ = `kind = 'woocommerce' and status <> 'off'`;

/** Those that have waited longest first. */
export const dueReads = statement<[now: Date, limit: number], { id: string }>(`
  select id from connections where next_read_at <= $1 and ${TO_READ} order by next_read_at limit $2`);

export interface ReadRow {
  id: string;
  businessId: string;
  status: ConnectionStatus;
  storeUrl: string | null;
  createdAt: Date;
  readUpTo: string | null;
  failures: number;
}

/**
 * Takes the reading of a connection until `lease`. A process that takes the same one waits for this write, and then finds it no longer
 * due. Whatever changes the connection meanwhile sets another time, so that the holder of the lease writes nothing any more.
 */
export const claimRead = statement<[id: string, now: Date, lease: Date], ReadRow>(`
  update connections set next_read_at = $3
  where id = $1 and next_read_at <= $2 and ${TO_READ}
  returning id, business_id as "businessId", status, store_url as "storeUrl", created_at as "createdAt",
    read_up_to as "readUpTo", read_failures as failures`);

const HELD = 'id = $1 and next_read_at = $2';

/** Answers nothing where the lease is lost. */
export const moveReadUpTo = statement<[id: string, lease: Date, readUpTo: string], { id: string }>(`
  update connections set read_up_to = $3 where ${HELD} returning id`);

export const finishRead = statement<[id: string, lease: Date, nextReadAt: Date]>(`
  update connections set next_read_at = $3, last_error = null, read_failures = 0 where ${HELD}`);

export const failRead = statement<[id: string, lease: Date, nextReadAt: Date, error: string]>(`
  update connections set next_read_at = $3, last_error = $4, read_failures = least(read_failures + 1, 1000)
  where ${HELD}`);

/** Another process may go on at once. */
export const releaseRead = statement<[id: string, lease: Date, now: Date]>(`
  update connections set next_read_at = $3 where ${HELD}`);
