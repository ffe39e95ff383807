import { ApiError } from '../kit/errors.ts';
import type { SnapshotCaller } from './buildSnapshot.ts';
import { keyOf } from './snapshot.ts';

/** The key that a push came with. */
export interface Calling {
  businessId: string;
  keyId: string;
}

/** Each key once, as the statements that ask for them take it. */
export function distinctCallers(callings: readonly Calling[]): [businessIds: string[], keyIds: string[]] {
  const distinct = [
    ...new Map(callings.map((calling) => [keyOf(calling.businessId, calling.keyId), calling])).values(),
  ];
  return [distinct.map(({ businessId }) => businessId), distinct.map(({ keyId }) => keyId)];
}

/** Why a call is refused whatever it asks for, answers given before included; null: its key still counts. */
export function refusalOf(
  callers: readonly SnapshotCaller[],
  { businessId, keyId }: Calling,
): ApiError | null {
  const caller = callers.find(({ business_id, id }) => business_id === businessId && id === keyId);
  if (!caller) return new ApiError('business.invalid_api_key');
  return caller.active ? null : new ApiError('business.inactive');
}
