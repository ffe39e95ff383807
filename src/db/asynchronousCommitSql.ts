/**
 * A row for a statement that is a transaction of its own: its commit does not wait for the disk. For what a crash of the database
 * may take back, because whatever follows from it is committed later, and that commit waits for all before it.
 */
export const ASYNCHRONOUS_COMMIT = `select set_config('synchronous_commit', 'off', true)`;
