import { keyOf } from './snapshot.ts';

/** An idempotency key of a push, a batch or a tracking event. A `batch_item` is never replayed itself: it is the part of a batch's response that has no push of its own. */
export interface RecordKey {
  businessId: string;
  scope: 'push' | 'batch' | 'batch_item' | 'tracking';
  key: string;
}

export interface StoredResponse {
  business_id: string;
  scope: string;
  key: string;
  fingerprint: string;
  status: number;
  response: string;
  recipient_id: string | null;
}

export type ReadResponse = StoredResponse & { expired: boolean };

/** The responses that are stored under the keys of a group. */
export interface Records {
  /** Those that have not expired, by business, scope and key. */
  byKey: ReadonlyMap<string, StoredResponse>;
  /** Whether there are expired ones, which new ones will overwrite. */
  hasExpired: boolean;
}

export const pushKey = ({ businessId, key }: { businessId: string; key: string }): RecordKey => ({
  businessId,
  scope: 'push',
  key,
});

export const recordsOf = (rows: readonly ReadResponse[] | null): Records => ({
  byKey: new Map(
    (rows ?? [])
      .filter(({ expired }) => !expired)
      .map((record) => [keyOf(record.business_id, record.scope, record.key), record]),
  ),
  hasExpired: (rows ?? []).some(({ expired }) => expired),
});

export const recordOf = (
  records: Records,
  { businessId, scope, key }: RecordKey,
): StoredResponse | undefined => records.byKey.get(keyOf(businessId, scope, key));
