import { statement } from '../db/statement.ts';

/** Of several processes that start at once, one looks after the demo while the others wait. */
export const lockDemo = statement<[lock: bigint]>(`
  select pg_advisory_xact_lock($1)`);

/** Who changed last whether the business is active; nothing when nobody ever did. */
export const lastToChangeActive = statement<[businessId: string], { actor: string }>(`
  select actor from audit_entries
  where business_id = $1 and action = 'settings.changed' and detail ? 'active'
  order by at desc, id desc limit 1`);
