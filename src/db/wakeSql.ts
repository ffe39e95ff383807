import { statement } from './statement.ts';

/** What workers of other processes can be woken for. */
export type WakeChannel = 'waypost_outbox' | 'waypost_webhooks';

export const notifyChannel = statement<[channel: WakeChannel]>(`
  select pg_notify($1, '')`);

/** LISTEN takes no parameters; the type leaves no room for anything but our own names. */
export const listenOn = (channel: WakeChannel): string => `listen ${channel}`;

/** Any answer will do. */
export const probe = statement<[]>('select');
