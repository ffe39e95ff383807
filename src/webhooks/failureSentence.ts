import { errors } from 'undici';
import { codeOf } from '../kit/errors.ts';
import { type FailureKind, failureKinds, failureTexts, statusRefused } from './failures.ts';
import { GuardRefusal } from './guardedClient.ts';

/**
 * Why a call got no response, in words that the merchant reads (`last_error`, the result of a test). Every
 * sentence is one of failures.ts, because an error's own message can hold an address of our network.
 */
export function failureSentence(error: unknown): string {
  if (error instanceof GuardRefusal) return error.message;
  // undici gives some parse errors no code, so check the class.
  if (error instanceof errors.HTTPParserError) return failureTexts.notHttp;
  const code = codeOf(error) ?? '';
  const known = failureKinds.find((kind) => CODES[kind]?.includes(code));
  if (known !== undefined) return failureTexts[known];
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return failureTexts.tlsFailed;
  return failureTexts.requestFailed;
}

/** The error for a response's status; null for any 2xx. */
export function refusalSentence(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode <= 299) return null;
  return statusRefused(statusCode, REDIRECTS.has(statusCode));
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 305, 307, 308]);

/** The codes of Node, OpenSSL and undici. */
const CODES: Partial<Record<FailureKind, readonly string[]>> = {
  unresolved: ['ENOTFOUND', 'ENODATA', 'EAI_AGAIN'],
  connectionRefused: ['ECONNREFUSED'],
  unreachable: ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
  connectTimeout: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
  closed: ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET'],
  headersTooLarge: ['UND_ERR_HEADERS_OVERFLOW'],
  tlsFailed: ['EPROTO'],
  tlsExpired: ['CERT_HAS_EXPIRED'],
  tlsNotYetValid: ['CERT_NOT_YET_VALID'],
  tlsRevoked: ['CERT_REVOKED'],
  tlsOtherName: ['ERR_TLS_CERT_ALTNAME_INVALID'],
  tlsSelfSigned: ['DEPTH_ZERO_SELF_SIGNED_CERT'],
  tlsIssuer: [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_UNTRUSTED',
  ],
  tlsInvalid: [
    'CERT_SIGNATURE_FAILURE',
    'CERT_CHAIN_TOO_LONG',
    'CERT_REJECTED',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
  ],
};
