const STAMP_CHARACTERS = 15;

/**
 * The expiry and the holder of a lease. The expiry comes first, so SQL compares leases as text. A lease is not
 * kept in `due_at`, because that column is indexed: this way a claim updates no index and the order stays.
 */
export const leaseUntil = (end: Date, worker: string): string => `${leaseStamp(end)}.${worker}`;

/** Sorts after every lease that has expired at `at`, and before every other. */
export const leaseStamp = (at: Date): string => String(at.getTime()).padStart(STAMP_CHARACTERS, '0');
