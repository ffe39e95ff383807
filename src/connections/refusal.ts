import { ApiError, type ErrorCode, statusOf } from '../kit/errors.ts';

/** The code of an error that the same push would meet again. Throws any other. */
export function refusalCode(error: unknown): ErrorCode {
  if (error instanceof ApiError && statusOf(error.code) < 500 && !PASSING.has(error.code)) return error.code;
  throw error;
}

const PASSING: ReadonlySet<ErrorCode> = new Set([
  'request.conflict',
  'idempotency.request_in_progress',
  'common.rate_limited',
]);
