import { codeOf, messageOf, OperatorError } from '../kit/errors.ts';

/** What an operator has to look at when the database cannot be used. */
export type DatabaseFault = keyof typeof ADVICE;

const BY_CODE: Readonly<Record<string, DatabaseFault>> = {
  // Sign-in: password or role, access rules, database.
  '28P01': 'refused',
  '28000': 'refused',
  '3D000': 'refused',
  '53300': 'too_many_connections',
  '25006': 'read_only',
  '42501': 'missing_privilege',
  '57P03': 'starting',
};

const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** Poolers have few codes of their own, and the runner of migrations drops them; the messages are stable. */
const BY_MESSAGE: readonly [RegExp, DatabaseFault][] = [
  [/permission denied/i, 'missing_privilege'],
  [/read-only transaction/i, 'read_only'],
  [
    /password authentication failed|SASL|auth(entication)? failed|no such (user|database)|does not exist/i,
    'refused',
  ],
  [
    /no more connections allowed|too many (clients|connections)|remaining connection slots/i,
    'too_many_connections',
  ],
  [
    /timeout|connection terminated|server conn crashed|pgbouncer cannot connect|query_wait_timeout/i,
    'unreachable',
  ],
];

/** Null: the error is not about reaching or being allowed to use the database. */
export function databaseFaultOf(error: unknown): DatabaseFault | null {
  const code = codeOf(error);
  if (code !== null) {
    if (UNREACHABLE.test(code)) return 'unreachable';
    const known = BY_CODE[code];
    if (known !== undefined) return known;
    if (/^(57P|58)/.test(code)) return 'unreachable';
  }
  // An address with several hosts, or with IPv4 and IPv6, fails with one error for each.
  if (error instanceof AggregateError)
    return error.errors.map(databaseFaultOf).find((fault) => fault !== null) ?? null;
  const isOther = code !== null && !code.startsWith('08');
  return isOther ? null : (BY_MESSAGE.find(([pattern]) => pattern.test(messageOf(error)))?.[1] ?? null);
}

/** What is wrong, and what to do about it. */
const ADVICE = {
  unreachable: [
    'The database cannot be reached',
    'check the host and port of DATABASE_URL, and that Postgres runs',
  ],
  starting: ['The database is starting up or shutting down', 'try again in a moment'],
  refused: [
    'The database refuses the connection',
    'check the role, the password and the database name of DATABASE_URL',
  ],
  too_many_connections: [
    'The database has no connection left',
    'stop other clients, run fewer processes, or raise max_connections',
  ],
  read_only: ['The database is read-only, as a standby is', 'let DATABASE_URL lead to the primary'],
  wrong_version: ['The database is too old', 'Waypost needs Postgres 15 or later'],
  missing_privilege: [
    'The role of DATABASE_URL may not create or use its tables',
    'grant it a schema or a database of its own',
  ],
} as const;

export const databaseFault = (fault: DatabaseFault, reason: string | null = null): OperatorError => {
  const [what, advice] = ADVICE[fault];
  return new OperatorError(`${what}${reason === null ? '' : ` (${reason})`}: ${advice}.`);
};

/** An error of a start as an operator can use it. */
export function explainDatabaseError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const fault = databaseFaultOf(error);
  return fault === null
    ? new OperatorError(`The database could not be opened or migrated (${reasonOf(error)}).`)
    : databaseFault(fault, reasonOf(error));
}

/** Several refused connections come as one error that has a code but no message. */
const reasonOf = (error: unknown): string =>
  (messageOf(error).trim() || (codeOf(error) ?? '')).replace(/\.$/, '');
