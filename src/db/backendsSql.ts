/**
 * Of the backends $1, those that are at work or were within the last second. A plain text, since a statement would need the pool
 * that this watches over.
 */
export const WORKING_BACKENDS = `
  select pid from pg_stat_activity where pid = any ($1::int[])
    and (state = 'active' or state_change > clock_timestamp() - interval '1 second')`;
