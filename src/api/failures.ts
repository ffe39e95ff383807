import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable, isUnstorable } from '../db/errors.ts';
import { ApiError, codeOf, statusOf } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import { traceFields } from '../kit/tracing.ts';
import { asksForProblem, type ErrorBody, PROBLEM_TYPE, problemOf } from './problem.ts';
import { sendPage } from './sendPage.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the service is reached from outside, without a slash at the end. */
    publicUrl: string;
  }
}

const CODES_OF_FASTIFY: Record<string, ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new ApiError('request.too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new ApiError('common.unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new ApiError('common.malformed_request', undefined, {
    connection: 'close',
  }),
  FST_ERR_BAD_URL: new ApiError('common.not_found'),
};

/** The page about an error at this path; null: programs call the path. */
export type ErrorPage = (error: ApiError, path: string) => string | null;

/**
 * Turns any error into the one error body, or into a page for a browser. Our own faults are logged, and none of their details
 * leave the process.
 */
export function failureHandler(log: Log, errorPage: ErrorPage = () => null) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = asApiError(error);
    if (known.code === 'common.internal')
      log.error({ request_id: request.id, error, ...traceFields(request.span) }, 'request failed');
    else if (known.code === 'common.unavailable')
      log.warn({ request_id: request.id, error }, 'request not served');
    const page = acceptsHtml(request) ? errorPage(known, request.url.split('?')[0] ?? '') : null;
    return page === null ? sendFailure(reply, known) : sendErrorPage(reply, known, page);
  };
}

export const failureBody = ({ code, detail }: ApiError): string =>
  JSON.stringify({ error_code: code, detail } satisfies ErrorBody);

/** Browsers name it when they load a page; programs seldom do. */
export const acceptsHtml = ({ headers }: FastifyRequest): boolean =>
  String(headers.accept ?? '').includes('text/html');

/**
 * The connection stays open unless the error says otherwise, even if the body was not read: many clients read no
 * response before they have sent everything, and would lose it. Node discards the rest within the time of a
 * request.
 */
export const sendFailure = (reply: FastifyReply, error: ApiError): FastifyReply =>
  sendFailureBody(withHeaders(reply, error), statusOf(error.code), failureBody(error));

/** In the form that the caller asks for. */
export function sendFailureBody(reply: FastifyReply, status: number, body: string): FastifyReply {
  reply.code(status);
  if (!asksForProblem(reply.request.headers))
    return reply.header('content-type', 'application/json; charset=utf-8').send(body);
  const problem = problemOf(reply.server.publicUrl, status, JSON.parse(body));
  // As bytes: the framework would name a charset to text, and the type has none.
  const bytes = Buffer.from(JSON.stringify(problem));
  return reply.headers({ 'content-type': PROBLEM_TYPE, vary: 'accept' }).send(bytes);
}

const sendErrorPage = (reply: FastifyReply, error: ApiError, page: string): FastifyReply =>
  sendPage(
    withHeaders(reply, error).headers({ vary: 'accept', 'cache-control': 'no-store' }),
    statusOf(error.code),
    page,
  );

const withHeaders = (reply: FastifyReply, { headers }: ApiError): FastifyReply =>
  reply.removeHeader('connection').headers(headers);

/** For a page about the error. */
export function failureStatusOf(error: unknown): number {
  const ofFastify = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : null;
  return ofFastify ?? statusOf(asApiError(error).code);
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = CODES_OF_FASTIFY[codeOf(error) ?? ''];
  if (known) return known;
  if (isUnstorable(error)) return new ApiError('request.unstorable_input');
  if (isUnavailable(error)) return new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
  return new ApiError('common.internal');
}
