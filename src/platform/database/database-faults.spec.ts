import pg from 'pg';
import {
  CannotExecuteNotConnectedError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TypeORMError,
} from 'typeorm';
import {
  connectionFault,
  databaseRefusal,
  databaseUnavailable,
  findViolatedUnique,
  isDatabaseUnavailable,
  isDataFault,
  losesConnection,
  readDriverFault,
} from './database-faults.js';

const system = (code: string): Error => Object.assign(new Error('x'), { code, syscall: 'connect' });

/** Returns an error as the driver throws it, and as TypeORM wraps it. */
function databaseErrors(code: string, fields: object = {}): Error[] {
  const raw = Object.assign(new pg.DatabaseError('x', 1, 'error'), { code, ...fields });
  return [raw, new QueryFailedError('SELECT 1', ['sesame'], raw)];
}

describe('database errors', () => {
  it.each([
    ['the connection fails', '08006'],
    ['a pooler refuses', '08P01'],
    ['there are too many connections', '53300'],
    ['the disk is full', '53100'],
    ['the server shuts down', '57P01'],
    ['the server crashes', '57P02'],
    ['the server starts up', '57P03'],
    ['the session was idle for too long', '57P05'],
    ['the server accepts no writes', '25006'],
    ['a later statement of such a transaction fails', '25P02'],
    ['the transaction was idle for too long', '25P03'],
    ['a file cannot be read', '58030'],
  ])('are reported as unavailable when %s', (_, code) => {
    for (const error of databaseErrors(code)) {
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(databaseRefusal(error)).toMatchObject({ code: 'database_unavailable', retryAfterSeconds: 1 });
    }
  });

  it('are reported as unavailable for any driver error without the server, by type and not by text', () => {
    const errors = [
      connectionFault(system('ECONNREFUSED')),
      connectionFault(new AggregateError([system('ECONNREFUSED'), system('ECONNREFUSED')])),
      connectionFault(new Error('anything at all')),
      new QueryFailedError('COMMIT', [], connectionFault(new Error('anything at all'))),
    ];
    for (const error of errors) expect(isDatabaseUnavailable(error)).toBe(true);
    expect(readDriverFault(errors[1])?.code).toBe('ECONNREFUSED');
    for (const message of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])
      expect(isDatabaseUnavailable(new Error(message))).toBe(false);
  });

  it('are reported as unavailable for a connection that TypeORM lost during use', () => {
    for (const error of [
      new QueryRunnerAlreadyReleasedError(),
      new QueryRunnerProviderAlreadyReleasedError(),
      new CannotExecuteNotConnectedError(),
      new TypeORMError('Driver not Connected'),
    ])
      expect(databaseRefusal(error)?.code).toBe('database_unavailable');
  });

  it('are reported as unavailable for missing rows of a standby, and for nothing else unsupported', () => {
    for (const error of databaseErrors('0A000', { routine: 'get_relation_info' }))
      expect(isDatabaseUnavailable(error)).toBe(true);
    for (const error of databaseErrors('0A000', { routine: 'other' })) expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it('are reported as unavailable by their cause', () => {
    const [raw] = databaseErrors('57P01');
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: raw }) });
    expect(databaseRefusal(wrapped)).toMatchObject({ code: 'database_unavailable', cause: raw });
    const circle = new Error('x');
    circle.cause = circle;
    expect(isDatabaseUnavailable(circle)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['a broken statement', databaseErrors('42601')[1]],
    ['a violated constraint', databaseErrors('23505', { constraint: 'users_pkey' })[1]],
    ['an error of the system about something else', system('ECONNREFUSED')],
    ['any other error', new TypeError('x')],
    ['another error of TypeORM', new TypeORMError('x')],
    ['something that is no error', 'ECONNREFUSED'],
  ])('are not reported as unavailable for %s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(databaseRefusal(error)).toBeNull();
  });

  it('are client errors for timeouts and conflicts', () => {
    for (const error of databaseErrors('57014')) expect(databaseRefusal(error)?.code).toBe('query_timeout');
    for (const code of ['40001', '40P01', '55P03'])
      for (const error of databaseErrors(code)) expect(databaseRefusal(error)?.code).toBe('server_busy');
  });

  it('are about values for whole SQLSTATE classes', () => {
    for (const code of ['22003', '22007', '22008', '22012', '22P02', '54000', '54001'])
      for (const error of databaseErrors(code)) expect(isDataFault(error)).toBe(true);
    for (const code of ['23505', '42703', '08006', '57014'])
      for (const error of databaseErrors(code)) expect(isDataFault(error)).toBe(false);
    expect(isDataFault(new RangeError('22003'))).toBe(false);
  });

  it('distinguish a lost connection', () => {
    for (const code of ['25006', '57P01', '08006'])
      for (const error of databaseErrors(code)) expect(losesConnection(error)).toBe(true);
    for (const code of ['53100', '53300', '23505', '57014'])
      for (const error of databaseErrors(code)) expect(losesConnection(error)).toBe(false);
  });

  it('name the violated constraint', () => {
    for (const error of databaseErrors('23505', { constraint: 'users_email_key_unique' }))
      expect(findViolatedUnique(error)).toBe('users_email_key_unique');
    for (const error of databaseErrors('23503', { constraint: 'other' })) expect(findViolatedUnique(error)).toBeNull();
    expect(findViolatedUnique(null)).toBeNull();
  });

  it('contain no text of the driver', () => {
    const refusal = databaseUnavailable(new Error('password of postgres://…'));
    expect(refusal.message).not.toContain('postgres');
    expect(refusal).toMatchObject({ code: 'database_unavailable', retryAfterSeconds: 1 });
  });
});
