import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, type Fault, sentenceOf } from '../kit/errors.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** What every error of the interface says. */
export interface ErrorBody {
  error_code: ErrorCode;
  detail: string | Fault[];
}

/** Whether the caller names the type: by itself, a wildcard does not ask for it. */
export const asksForProblem = ({ accept }: IncomingHttpHeaders): boolean =>
  accept?.toLowerCase().includes(PROBLEM_TYPE) === true;

/** The same error by RFC 9457. Its type is its place in the reference. */
export function problemOf(publicUrl: string, status: number, { error_code, detail }: ErrorBody) {
  const title = sentenceOf(error_code);
  const problem = { type: `${publicUrl}/docs#error-${error_code}`, title, status, error_code };
  if (typeof detail === 'string') return { ...problem, detail };
  const [first] = detail;
  return { ...problem, detail: first ? `${first.loc.join('.')}: ${first.msg}` : title, errors: detail };
}
