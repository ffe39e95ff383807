/* Why an attempt failed, as `last_error` and the log record it. `failureOf` reads it back, for pages that explain it. */

/** The sentences without a number in them. */
export const failureTexts = {
  unresolved: 'the host name does not resolve',
  unresolvedAtCreation: 'the host name did not resolve when the endpoint was created',
  /** The same whether the name exists or not, or it would reveal which names our network resolves. */
  notPublic: 'the host does not resolve to a public address',
  notHttps: 'refused: the URL is not HTTPS',
  connectionRefused: 'connection refused',
  unreachable: 'the host is unreachable',
  connectTimeout: 'timed out while connecting',
  closed: 'the connection was closed before an answer',
  headersTooLarge: 'the answer’s headers are too large',
  notHttp: 'the answer is not valid HTTP',
  tlsFailed: 'TLS: the handshake failed',
  tlsExpired: 'TLS: certificate has expired',
  tlsNotYetValid: 'TLS: certificate is not valid yet',
  tlsRevoked: 'TLS: certificate was revoked',
  tlsOtherName: 'TLS: certificate is for another host name',
  tlsSelfSigned: 'TLS: certificate is self-signed',
  tlsIssuer: 'TLS: certificate’s issuer is not trusted',
  tlsInvalid: 'TLS: certificate is not valid',
  requestFailed: 'the request failed',
  /** Of a test whose process stopped before its end. */
  unanswered: 'the answer was not recorded',
} as const;

export type FailureKind = keyof typeof failureTexts;
const isKind = (name: string): name is FailureKind => Object.hasOwn(failureTexts, name);
export const failureKinds = Object.keys(failureTexts).filter(isKind);

export const portRefused = (port: number): string => `refused: port ${port} is not allowed`;
export const answerTimeout = (seconds: number): string => `timed out after ${seconds} s`;
export const statusRefused = (status: number, isRedirect: boolean): string =>
  `answered ${status}${isRedirect ? ' (redirects are not followed)' : ''}`;

export type RecordedFailure =
  | { kind: FailureKind }
  | { kind: 'port'; port: number }
  | { kind: 'timeout'; seconds: number }
  | { kind: 'status'; status: number }
  | { kind: 'redirect'; status: number };

/** Null: a sentence of another version. */
export function failureOf(recorded: string): RecordedFailure | null {
  const kind = failureKinds.find((one) => failureTexts[one] === recorded);
  if (kind !== undefined) return { kind };
  const [, port] = /^refused: port (\d+) is not allowed$/.exec(recorded) ?? [];
  if (port !== undefined) return { kind: 'port', port: Number(port) };
  const [, seconds] = /^timed out after ([\d.]+) s$/.exec(recorded) ?? [];
  if (seconds !== undefined) return { kind: 'timeout', seconds: Number(seconds) };
  const [, status, redirect] = /^answered (\d{3})( \(redirects are not followed\))?$/.exec(recorded) ?? [];
  if (status === undefined) return null;
  return { kind: redirect === undefined ? 'status' : 'redirect', status: Number(status) };
}
