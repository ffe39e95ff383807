import type { OrderStatus } from '../../contract/orderStatuses.ts';
import type { CarrierFacts, OrderFacts } from '../facts.ts';

/*
 * A kind of connection is one file: bytes in, facts out, without a database. `kinds.ts` lists them.
 *
 *   request ──► verify ──► describe ──► stored ──► read ──► facts
 */

export const STORE_KINDS = ['woocommerce', 'shopify', 'saleor'] as const;
export const TRACKING_KINDS = ['aftership', 'easypost', 'shippo', 'karrio'] as const;
export const CONNECTION_KINDS = [...STORE_KINDS, ...TRACKING_KINDS] as const;
export type StoreKindName = (typeof STORE_KINDS)[number];
export type TrackingKindName = (typeof TRACKING_KINDS)[number];
export type ConnectionKind = (typeof CONNECTION_KINDS)[number];

/** A request to a connection's address, as it came. */
export interface RawCall {
  /** By its name in lower case; undefined: it is missing, or repeated, which proves nothing. */
  header(name: string): string | undefined;
  query: URLSearchParams;
  body: Buffer;
}

/** A JSON Web Key, as the store publishes it. */
export type PublicKey = Readonly<Record<string, unknown>>;

/** What a call is checked against. */
export interface Proof {
  /** The connection's secret and, for a while after a rotation, the one before it. Empty: it has none. */
  secrets: readonly string[];
  storeUrl: string | null;
  /** By the wall clock, which stores and services sign with. */
  now: Date;
  /** The store's public keys. Throws `request.unavailable` where they cannot be read. */
  keysOf(storeUrl: string, options: { refresh: boolean }): Promise<readonly PublicKey[]>;
}

/** `ping`: the store only says that it has found us. */
export type Authenticity = 'genuine' | 'ping' | 'refused';

export interface CallDescription {
  /** In the store's own words. */
  topic: string;
  /** Tells the call from the others of its connection, in at most 200 characters: the same one again is done once. */
  key: string;
  /** The store's own id of the order, exactly; null: the call names none, or cannot be read. */
  storeOrder: string | null;
}

/** A call as it was stored. */
export interface StoredCall {
  topic: string;
  /** Those of `keptHeaders` that it had. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  receivedAt: Date;
}

/** `nothing`: it is understood, and says nothing that could be told. Reasons are snake_case words, as the log shows them. */
export type CallReading<Facts> =
  | { kind: 'facts'; facts: Facts }
  | { kind: 'nothing'; reason: string; order: string | null }
  | { kind: 'not_understood'; reason: string };

export interface ReadOptions {
  /** The name of the store's field that permits texts; null: none. */
  consentField: string | null;
}

/** What a connection of a kind is made of. */
export interface Needs {
  /** `made`: by us, if none is entered. `entered`: the other side makes it. `optional`: without one, public keys prove its calls. */
  secret: 'made' | 'entered' | 'optional';
  /** Its address, for our own calls to it. */
  store: 'required' | 'optional' | 'none';
  /** What our own calls to it are signed in with. */
  credentials: 'consumer_key' | 'api_key' | 'none';
}

interface Kind<Name extends ConnectionKind> {
  name: Name;
  /** As a person writes it. */
  title: string;
  needs: Needs;
  /** Headers that are kept with a call, because `read` needs them. */
  keptHeaders: readonly string[];
  /** In constant time, over the raw bytes, before anything is parsed. */
  verify(call: RawCall, proof: Proof): Authenticity | Promise<Authenticity>;
  /** Of a genuine call. Never throws. */
  describe(call: RawCall): CallDescription;
}

export interface StoreKind extends Kind<StoreKindName> {
  /** The store's own statuses, in the order of its table, and what each tells by default; null: nothing. */
  statuses: Readonly<Record<string, OrderStatus | null>>;
  /** Whether a second shipment is told like the first. Otherwise it is added quietly to the message that told the first. */
  tellsEachShipment: boolean;
  /** Never throws. */
  read(call: StoredCall, options: ReadOptions): CallReading<OrderFacts>;
}

export interface TrackingKind extends Kind<TrackingKindName> {
  /** Never throws. */
  read(call: StoredCall): CallReading<CarrierFacts>;
}
