import type { ConnectionKind } from './kinds/kind.ts';

interface Needs {
  /** `made`: by us, if none is entered. `entered`: the other side makes it. `optional`: without one, public keys prove its calls. */
  secret: 'made' | 'entered' | 'optional';
  /** Its address, for our own calls to it. */
  store: 'required' | 'optional' | 'none';
  /** What our own calls to it are signed in with. */
  credentials: 'consumer_key' | 'api_key' | 'none';
}

/** What a connection of a kind is made of. */
export const NEEDS: Readonly<Record<ConnectionKind, Needs>> = {
  woocommerce: { secret: 'made', store: 'optional', credentials: 'consumer_key' },
  shopify: { secret: 'entered', store: 'optional', credentials: 'none' },
  saleor: { secret: 'optional', store: 'required', credentials: 'none' },
  aftership: { secret: 'entered', store: 'none', credentials: 'api_key' },
  easypost: { secret: 'made', store: 'none', credentials: 'api_key' },
  shippo: { secret: 'made', store: 'none', credentials: 'api_key' },
  // Often a server of the shop's own.
  karrio: { secret: 'entered', store: 'optional', credentials: 'api_key' },
};

/** Whether we can call it: a store, to read what we missed; a tracking service, to name shipments. */
export const isRead = (
  kind: ConnectionKind,
  { storeUrl, hasCredentials }: { storeUrl: string | null; hasCredentials: boolean },
): boolean => hasCredentials && (NEEDS[kind].credentials === 'api_key' || storeUrl !== null);
