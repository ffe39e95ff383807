import { statement } from '../db/statement.ts';

/** Of several processes that start at once, one looks after the demo while the others wait. */
export const lockDemo = statement<[lock: bigint]>(`
  select pg_advisory_xact_lock($1)`);
