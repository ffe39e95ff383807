import { errors } from 'undici';
import { failureTexts, statusRefused } from './failures.ts';
import { GuardRefusal } from './guardedClient.ts';

/**
 * Why a call got no response, in words that the merchant reads (`last_error`, the result of a test). Every
 * sentence is one of failures.ts, because an error's own message can hold an address of our network.
 */
export function failureSentence(error: unknown): string {
  if (error instanceof GuardRefusal) return error.message;
  // undici gives some parse errors no code, so check the class.
  if (error instanceof errors.HTTPParserError) return failureTexts.notHttp;
  const code = codeOf(error);
  const known = SENTENCES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return failureTexts.tlsFailed;
  return failureTexts.requestFailed;
}

/** The error for a response's status; null for any 2xx. */
export function refusalSentence(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode <= 299) return null;
  return statusRefused(statusCode, REDIRECTS.has(statusCode));
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 305, 307, 308]);

/** By the codes of Node, OpenSSL and undici. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', failureTexts.unresolved],
  ['ENODATA', failureTexts.unresolved],
  ['EAI_AGAIN', failureTexts.unresolved],
  ['ECONNREFUSED', failureTexts.connectionRefused],
  ['EHOSTUNREACH', failureTexts.unreachable],
  ['ENETUNREACH', failureTexts.unreachable],
  ['EADDRNOTAVAIL', failureTexts.unreachable],
  ['ETIMEDOUT', failureTexts.connectTimeout],
  ['UND_ERR_CONNECT_TIMEOUT', failureTexts.connectTimeout],
  ['ECONNRESET', failureTexts.closed],
  ['ECONNABORTED', failureTexts.closed],
  ['EPIPE', failureTexts.closed],
  ['UND_ERR_SOCKET', failureTexts.closed],
  ['UND_ERR_HEADERS_OVERFLOW', failureTexts.headersTooLarge],
  ['EPROTO', failureTexts.tlsFailed],
  ['CERT_HAS_EXPIRED', failureTexts.tlsExpired],
  ['CERT_NOT_YET_VALID', failureTexts.tlsNotYetValid],
  ['CERT_REVOKED', failureTexts.tlsRevoked],
  ['ERR_TLS_CERT_ALTNAME_INVALID', failureTexts.tlsOtherName],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', failureTexts.tlsSelfSigned],
  ['SELF_SIGNED_CERT_IN_CHAIN', failureTexts.tlsIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT', failureTexts.tlsIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', failureTexts.tlsIssuer],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', failureTexts.tlsIssuer],
  ['CERT_UNTRUSTED', failureTexts.tlsIssuer],
  ['CERT_SIGNATURE_FAILURE', failureTexts.tlsInvalid],
  ['CERT_CHAIN_TOO_LONG', failureTexts.tlsInvalid],
  ['CERT_REJECTED', failureTexts.tlsInvalid],
  ['INVALID_CA', failureTexts.tlsInvalid],
  ['INVALID_PURPOSE', failureTexts.tlsInvalid],
  ['PATH_LENGTH_EXCEEDED', failureTexts.tlsInvalid],
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
