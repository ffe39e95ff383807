import { SECOND } from './clock.ts';

/** The pause that a `Retry-After` header asks for in seconds; 0 without one. A date, which few send, counts as none. */
export const retryAfterMs = (header: string | string[] | undefined): number =>
  typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * SECOND : 0;
