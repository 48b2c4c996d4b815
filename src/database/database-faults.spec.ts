import {
  databaseRefusal,
  databaseUnavailable,
  findViolatedUnique,
  isDatabaseUnavailable,
  isDataFault,
} from './database-faults.js';

/** An error as the driver throws it, and as TypeORM wraps it. */
function both(fields: object, message = 'x'): Error[] {
  const raw = Object.assign(new Error(message), fields);
  return [raw, Object.assign(new Error(message), { driverError: raw })];
}

describe('faults of the database', () => {
  it.each<[string, Record<string, string>]>([
    ['nobody listens', { code: 'ECONNREFUSED', syscall: 'connect' }],
    ['the connection breaks', { code: 'ECONNRESET', syscall: 'read' }],
    ['the socket file is gone', { code: 'ENOENT', syscall: 'connect' }],
    ['the server shuts down', { code: '57P01' }],
    ['the server starts up', { code: '57P03' }],
    ['there are too many connections', { code: '53300' }],
    ['the pool waits too long', { message: 'timeout exceeded when trying to connect' }],
    ['the connection ends by itself', { message: 'Connection terminated unexpectedly' }],
  ])('say that it cannot be reached when %s', (_, { message, ...fields }) => {
    for (const error of both(fields, message)) expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('say so where every address of a host refuses', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' });
    expect(isDatabaseUnavailable(new AggregateError([refused, refused]))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a file that is not there', Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })],
    ['a directory that may not be read', Object.assign(new Error('x'), { code: 'EACCES', syscall: 'scandir' })],
    ['a broken statement', both({ code: '42601' })[1]],
    ['a violated constraint', both({ code: '23505', constraint: 'users_pkey' })[1]],
    ['any other error', new TypeError('x')],
    ['something that is no error', 'ECONNREFUSED'],
  ])('do not say so of %s', (_, error) => expect(isDatabaseUnavailable(error)).toBe(false));

  it('are refusals where the database is not there or took too long, and nothing else', () => {
    for (const error of both({ code: '57014' })) expect(databaseRefusal(error)?.code).toBe('query_timeout');
    for (const error of both({ code: '08006' })) expect(databaseRefusal(error)?.code).toBe('database_unavailable');
    for (const error of both({ code: '42601' })) expect(databaseRefusal(error)).toBeNull();
  });

  it('are about values in whole classes of states', () => {
    for (const code of ['22003', '22007', '22008', '22012', '22P02', '54000', '54001'])
      for (const error of both({ code })) expect(isDataFault(error)).toBe(true);
    for (const code of ['23505', '42703', '08006', '57014'])
      for (const error of both({ code })) expect(isDataFault(error)).toBe(false);
    expect(isDataFault(new RangeError('22003'))).toBe(false);
  });

  it('name the constraint that is violated', () => {
    for (const error of both({ code: '23505', constraint: 'users_email_key_unique' }))
      expect(findViolatedUnique(error)).toBe('users_email_key_unique');
    for (const error of both({ code: '23503', constraint: 'other' })) expect(findViolatedUnique(error)).toBeNull();
    expect(findViolatedUnique(null)).toBeNull();
  });

  it('are answered without a word of the driver', () => {
    const refusal = databaseUnavailable(new Error('password of postgres://…'));
    expect(refusal.message).not.toContain('postgres');
    expect(refusal).toMatchObject({ code: 'database_unavailable', retryAfterSeconds: 1 });
  });
});
