import type { ApiError } from '../kit/errors.ts';
import type { RecordKey } from './records.ts';

export interface PushResponse {
  status: number;
  body: string;
  replayed: boolean;
}

/** `deferred`: another transaction has locked the recipient, so the item runs again alone, where waiting delays no other. */
export type PushOutcome =
  | { kind: 'answer'; answer: PushResponse }
  | { kind: 'error'; error: ApiError }
  | { kind: 'deferred' };

/** The idempotency record of a response, as the statements that write it read it. */
export type ResponseRow = ReturnType<typeof responseRow>;

export const responseRow = (
  { businessId, scope, key }: RecordKey,
  fingerprint: string,
  status: number,
  response: string,
  recipientId?: string | null,
) => ({
  business_id: businessId,
  scope,
  key,
  fingerprint: `\\x${fingerprint}`,
  status,
  response,
  recipient_id: recipientId ?? undefined,
});
