import { errors } from 'undici';
import { GuardRefusal } from './guardedClient.ts';

/**
 * Why a call got no response, in words that the merchant reads (`last_error`, the result of a test). Every
 * sentence is written here or by the guard, because an error's own message can hold an address of our network.
 */
export function failureSentence(error: unknown): string {
  if (error instanceof GuardRefusal) return error.message;
  // undici gives some parse errors no code, so check the class.
  if (error instanceof errors.HTTPParserError) return 'the answer is not valid HTTP';
  const code = codeOf(error);
  const known = SENTENCES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return TLS_FAILED;
  return 'the request failed';
}

/** The error for a response's status; null for any 2xx. */
export function refusalSentence(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode <= 299) return null;
  if (REDIRECTS.has(statusCode)) return `answered ${statusCode} (redirects are not followed)`;
  return `answered ${statusCode}`;
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 305, 307, 308]);

const UNRESOLVED = 'the host name does not resolve';
const UNREACHABLE = 'the host is unreachable';
const NO_CONNECTION_IN_TIME = 'timed out while connecting';
const CLOSED = 'the connection was closed before an answer';
const TLS_FAILED = 'TLS: the handshake failed';
const TLS_ISSUER = 'TLS: certificate’s issuer is not trusted';
const TLS_INVALID = 'TLS: certificate is not valid';

/** By the codes of Node, OpenSSL and undici. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', UNRESOLVED],
  ['ENODATA', UNRESOLVED],
  ['EAI_AGAIN', UNRESOLVED],
  ['ECONNREFUSED', 'connection refused'],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['EADDRNOTAVAIL', UNREACHABLE],
  ['ETIMEDOUT', NO_CONNECTION_IN_TIME],
  ['UND_ERR_CONNECT_TIMEOUT', NO_CONNECTION_IN_TIME],
  ['ECONNRESET', CLOSED],
  ['ECONNABORTED', CLOSED],
  ['EPIPE', CLOSED],
  ['UND_ERR_SOCKET', CLOSED],
  ['UND_ERR_HEADERS_OVERFLOW', 'the answer’s headers are too large'],
  ['EPROTO', TLS_FAILED],
  ['CERT_HAS_EXPIRED', 'TLS: certificate has expired'],
  ['CERT_NOT_YET_VALID', 'TLS: certificate is not valid yet'],
  ['CERT_REVOKED', 'TLS: certificate was revoked'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS: certificate is for another host name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS: certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', TLS_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT', TLS_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', TLS_ISSUER],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', TLS_ISSUER],
  ['CERT_UNTRUSTED', TLS_ISSUER],
  ['CERT_SIGNATURE_FAILURE', TLS_INVALID],
  ['CERT_CHAIN_TOO_LONG', TLS_INVALID],
  ['CERT_REJECTED', TLS_INVALID],
  ['INVALID_CA', TLS_INVALID],
  ['INVALID_PURPOSE', TLS_INVALID],
  ['PATH_LENGTH_EXCEEDED', TLS_INVALID],
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
