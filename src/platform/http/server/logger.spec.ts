import { Logger as NestLogger } from '@nestjs/common';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { createLogger, FrameworkLogger } from './logger.js';

function logged(...line: [fields: object, message?: string]): { line: Record<string, unknown>; text: string } {
  let text = '';
  createLogger('info', { write: (written) => void (text += written) }).info(...line);
  return { line: JSON.parse(text) as Record<string, unknown>, text };
}

/** Returns the error of a failed statement as TypeORM throws it, with all values and the conflicting row. */
function failedStatement(code = '23505', message = 'duplicate key value violates unique constraint "users_email"') {
  const driver = Object.assign(new pg.DatabaseError(message, 1, 'error'), {
    code,
    constraint: 'users_email',
    table: 'users',
    detail: 'Key (email)=(sesame@example.com) already exists.',
    where: 'sesame',
    internalQuery: 'SELECT sesame',
  });
  return new QueryFailedError('INSERT INTO sesame VALUES ($1)', ['sesame'], driver);
}

describe('the log', () => {
  it('is one JSON object per line, and nothing below its level', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    logger.debug('not this');
    logger.info({ route: '/x', at: new Date(0), none: null }, 'two\nlines');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 30,
      time: expect.any(String),
      route: '/x',
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      msg: 'two\nlines',
    });
  });

  it('contains no API key, under any name and at any position', () => {
    const key = `lin_pat_${'aB3'.repeat(12)}`;
    const error = Object.assign(new Error(`refused ${key}`), { cause: new Error(key) });
    const { text } = logged(
      { header: `Bearer ${key}`, deep: [{ note: key }], err: error },
      `came with ${key}, and ${key}`,
    );
    expect(text).not.toContain(key.slice(4));
    expect(text.match(/\[redacted\]/g)!.length).toBeGreaterThanOrEqual(5);
  });

  it.each([
    'password',
    'password_confirmation',
    'newPassword',
    'token',
    'refresh_token',
    'accessToken',
    'code',
    'codeVerifier',
    'carrier',
    'Authorization',
    'set-cookie',
    'client_secret',
    'APP_KEY',
    'x-api-key',
  ])('omits %s, at any depth', (name) => {
    const secret = { [name]: 'sesame' };
    const circle: Record<string, unknown> = { secret };
    circle['itself'] = circle;
    const { text } = logged({ ...secret, body: secret, list: [{ deep: [{ deeper: { deepest: secret } }] }], circle });
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('sesame');
  });

  it('contains the cause of a failed statement, and none of its values', () => {
    const { line, text } = logged({ err: failedStatement() }, 'x');
    expect(line['err']).toEqual({
      type: 'QueryFailedError',
      message: 'duplicate key value violates unique constraint "users_email"',
      stack: expect.stringContaining('logger.spec'),
      code: '23505',
      constraint: 'users_email',
      table: 'users',
    });
    expect(text).not.toContain('sesame');
  });

  it('quotes no value that could not be parsed', () => {
    const invalid = failedStatement('22P02', 'invalid input syntax for type uuid: "sesame \\" street"');
    const json = ((): Error => {
      try {
        return JSON.parse('{"password": sesame}') as Error;
      } catch (error) {
        return error as Error;
      }
    })();
    for (const err of [invalid, json]) {
      const { line, text } = logged({ err });
      expect(line['err']).toMatchObject({ message: expect.stringContaining('"…"') });
      expect(text).not.toMatch(/sesame|street/);
    }
  });

  it.each<[string, unknown]>([
    ['a cause', new Error('outer', { cause: failedStatement() })],
    ['a cause of a cause', new AppError('internal_error', { cause: new Error('x', { cause: failedStatement() }) })],
    ['one of many', new AggregateError([new TypeError('x'), failedStatement()], 'all')],
  ])('contains no more of one that is %s', (_, err) => {
    const { text } = logged({ context: { err } });
    expect(text).toContain('"code":"23505"');
    expect(text).not.toMatch(/sesame|parameters|driverError|detail/);
  });

  it('distinguishes codes of the system from codes typed by users', () => {
    const code = (value: unknown): unknown =>
      (logged({ err: Object.assign(new Error('x'), { code: value }) }).line['err'] as { code?: unknown }).code;
    for (const safe of ['ECONNREFUSED', '57P01', 'ERR_INVALID_URL', 'database_unavailable'])
      expect(code(safe)).toBe(safe);
    for (const typed of ['408213', 'a b', 42, { x: 1 }]) expect(code(typed)).toBeUndefined();
  });

  it('accepts an error in place of fields, and survives one that causes itself', () => {
    const error = new Error('round');
    error.cause = error;
    expect(logged(error).line).toMatchObject({
      err: { type: 'Error', message: 'round', cause: '[deep]' },
      msg: 'round',
    });
  });
});

describe('FrameworkLogger', () => {
  const lines: string[] = [];
  const logger = new FrameworkLogger(createLogger('trace', { write: (line) => void lines.push(line) }));
  const written = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

  beforeEach(() => {
    lines.length = 0;
  });

  it('writes each level with its context', () => {
    logger.verbose('a', 'Here');
    logger.debug('b', 'Here');
    logger.log('c', 'Here');
    logger.warn('d', 'Here');
    logger.error('e', 'Here');
    logger.fatal('f', 'Here');
    expect(written()).toMatchObject(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((msg, at) => ({ level: (at + 1) * 10, msg, context: 'Here' })),
    );
  });

  it('logs framework details at the debug level only', () => {
    logger.log('Mapped {/api} route', 'RouterExplorer');
    expect(written()).toMatchObject([{ level: 20, context: 'RouterExplorer' }]);
  });

  it('writes an error with its stack, and an object field by field', () => {
    logger.error(new Error('broken'), 'Here');
    logger.warn({ count: 2 }, 'Here');
    expect(written()).toMatchObject([
      { err: { message: 'broken', stack: expect.stringContaining('Error: broken\n') as string }, context: 'Here' },
      { level: 40, count: 2, context: 'Here' },
    ]);
  });

  it('accepts a stack as text', () => {
    logger.error('broken', 'Error: broken\n    at somewhere', 'ExceptionsHandler');
    expect(written()).toMatchObject([
      { err: { message: 'broken', stack: 'Error: broken\n    at somewhere' }, context: 'ExceptionsHandler' },
    ]);
  });

  it("is the target of a module's own Logger, with placeholders", () => {
    NestLogger.overrideLogger(logger);
    new NestLogger('Orders').log('%s orders', 3);
    NestLogger.log('without a context');
    expect(written()).toMatchObject([
      { level: 30, msg: '3 orders', context: 'Orders' },
      { level: 30, msg: 'without a context' },
    ]);
  });

  it.each([null, undefined, 3, true])('writes %s, too', (message) => {
    logger.log(message, 'Here');
    expect(written()).toMatchObject([{ level: 30, context: 'Here' }]);
  });
});
