import { SECOND } from '../kit/clock.ts';

/** Well beyond the time of one attempt. A worker that dies holds up what it had claimed for no longer than this. */
export const DELIVERY_LEASE_MS = 20 * SECOND;

const STAMP_CHARACTERS = 15;

/**
 * Who holds a delivery, and until when: the time first, so that the database can compare it as text. It is not kept
 * in `due_at`, which is indexed: this way a claim touches no index, and what is claimed keeps its place in the order.
 */
export const leaseUntil = (end: Date, worker: string): string => `${leaseStamp(end)}.${worker}`;

/** Sorts after every lease that has ended by then, and before every other. */
export const leaseStamp = (at: Date): string => String(at.getTime()).padStart(STAMP_CHARACTERS, '0');
