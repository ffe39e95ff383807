import { columns } from '../kit/columns.ts';
import { ApiError } from '../kit/errors.ts';
import type { SnapshotCaller } from './buildSnapshot.ts';
import { keyOf } from './snapshot.ts';

/** The API key of a request; none where we push ourselves. */
export interface ApiKeyRef {
  businessId: string;
  keyId: string | null;
}

/** Each key once, as the two array parameters of a statement. */
export function distinctCallers(callers: readonly ApiKeyRef[]): [businessIds: string[], keyIds: string[]] {
  const named = callers.flatMap(({ businessId, keyId }) => (keyId === null ? [] : [{ businessId, keyId }]));
  const distinct = [
    ...new Map(named.map((caller) => [keyOf(caller.businessId, caller.keyId), caller])).values(),
  ];
  return columns(distinct, 'businessId', 'keyId');
}

/** Why the API key is refused, even for a replay; null: it is valid. */
export function refusalOf(
  callers: readonly SnapshotCaller[],
  { businessId, keyId }: ApiKeyRef,
): ApiError | null {
  if (keyId === null) return null;
  const caller = callers.find(({ business_id, id }) => business_id === businessId && id === keyId);
  if (!caller) return new ApiError('business.invalid_api_key');
  return caller.active ? null : new ApiError('business.inactive');
}
