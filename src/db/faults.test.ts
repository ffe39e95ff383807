import { describe, expect, test } from 'vitest';
import { OperatorError } from '../kit/errors.ts';
import { type DatabaseFault, databaseFaultOf, explainDatabaseError } from './faults.ts';

const withCode = (code: string, message = ''): Error => Object.assign(new Error(message), { code });

describe('an error of the database is classified', () => {
  test.each<[DatabaseFault | null, Error]>([
    ['unreachable', withCode('ECONNREFUSED')],
    ['unreachable', withCode('ENOTFOUND', 'getaddrinfo ENOTFOUND db.internal')],
    ['unreachable', new Error('timeout expired')],
    ['unreachable', new Error('Connection terminated unexpectedly')],
    ['unreachable', new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')], '')],
    ['unreachable', withCode('57P01', 'terminating connection due to administrator command')],
    ['unreachable', withCode('08P01', 'query_wait_timeout')],
    ['starting', withCode('57P03', 'the database system is starting up')],
    ['refused', withCode('28P01', 'password authentication failed for user "waypost"')],
    ['refused', withCode('28000', 'role "waypost" does not exist')],
    ['refused', withCode('3D000', 'database "waypost" does not exist')],
    ['refused', withCode('08P01', 'no such database: waypost')],
    ['too_many_connections', withCode('53300', 'sorry, too many clients already')],
    ['too_many_connections', withCode('08P01', 'no more connections allowed (max_client_conn)')],
    ['read_only', withCode('25006', 'cannot execute INSERT in a read-only transaction')],
    ['missing_privilege', withCode('42501', 'permission denied for schema public')],
    [null, withCode('23505', 'duplicate key value violates unique constraint')],
    [null, withCode('42P01', 'relation "businesses" does not exist')],
    [null, new Error('a mistake of ours')],
  ])('%s: %o', (fault, error) => {
    expect(databaseFaultOf(error)).toBe(fault);
  });

  test('an operator reads what to do, and the reason', () => {
    const refused = explainDatabaseError(
      withCode('28P01', 'password authentication failed for user "waypost"'),
    );
    expect(refused).toBeInstanceOf(OperatorError);
    expect(refused.message).toBe(
      'The database refuses the connection (password authentication failed for user "waypost"): ' +
        'check the role, the password and the database name of DATABASE_URL.',
    );
    expect(explainDatabaseError(withCode('ECONNREFUSED')).message).toContain('(ECONNREFUSED)');
    expect(explainDatabaseError(new Error('odd')).message).toBe(
      'The database could not be opened or migrated (odd).',
    );
  });

  test('a sentence that was made for the operator stays', () => {
    const made = new OperatorError('As it is.');
    expect(explainDatabaseError(made)).toBe(made);
  });
});
