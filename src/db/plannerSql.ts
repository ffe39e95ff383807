import { statement } from './statement.ts';

/**
 * For the transactions of workers: their lists are short and every row is named by its key, but a plan made while
 * the tables were empty would scan them ever after.
 */
export const preferIndexes = statement<[], Record<string, string>>(`
  select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`);
