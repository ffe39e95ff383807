import { statement } from '../db/statement.ts';

/**
 * Begins the worker's transactions. Their lists are short and every row is named by its key, but a plan made while
 * the tables were empty would scan them ever after. And they do not wait for the disk: what a crash of the database
 * could take back, a claim or a result of the last moment, is only attempted again.
 */
export const settingsOfWorker = statement<[], Record<string, string>>(`
  select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', 'off', true)`);
