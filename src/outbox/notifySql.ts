import { statement } from '../db/statement.ts';

export const LISTEN = 'listen waypost_outbox';

/** Outside of any push's transaction: a notification inside one would make commits wait for each other. */
export const notifyOutbox = statement<[]>(`select pg_notify('waypost_outbox', '')`);
