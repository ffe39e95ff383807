import type { ConnectionKind, Needs } from './kinds/kind.ts';
import { kindOf } from './kinds.ts';

export const needsOf = (kind: ConnectionKind): Needs => kindOf(kind).needs;

/** Whether we can call it: a store, to read what we missed; a tracking service, to name shipments. */
export const isRead = (
  kind: ConnectionKind,
  { storeUrl, hasCredentials }: { storeUrl: string | null; hasCredentials: boolean },
): boolean => hasCredentials && (needsOf(kind).credentials === 'api_key' || storeUrl !== null);
