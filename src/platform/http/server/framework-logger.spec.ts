import { Logger as NestLogger } from '@nestjs/common';
import { FrameworkLogger } from './framework-logger.js';
import { createLogger } from './logger.js';

describe('FrameworkLogger', () => {
  const lines: string[] = [];
  const logger = new FrameworkLogger(createLogger('trace', { write: (line) => void lines.push(line) }));
  const logged = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

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
    expect(logged()).toMatchObject(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((msg, at) => ({ level: (at + 1) * 10, msg, context: 'Here' })),
    );
  });

  it('tells how the framework puts itself together for debugging only', () => {
    logger.log('Mapped {/api} route', 'RouterExplorer');
    expect(logged()).toMatchObject([{ level: 20, context: 'RouterExplorer' }]);
  });

  it('writes an error with its stack, and an object field by field', () => {
    logger.error(new Error('broken'), 'Here');
    logger.warn({ count: 2 }, 'Here');
    expect(logged()).toMatchObject([
      { err: { message: 'broken', stack: expect.stringContaining('Error: broken\n') as string }, context: 'Here' },
      { level: 40, count: 2, context: 'Here' },
    ]);
  });

  it('takes the stack that Nest hands on as text', () => {
    logger.error('broken', 'Error: broken\n    at somewhere', 'ExceptionsHandler');
    expect(logged()).toMatchObject([
      { err: { message: 'broken', stack: 'Error: broken\n    at somewhere' }, context: 'ExceptionsHandler' },
    ]);
  });

  it("is what a module's own Logger writes to, with placeholders filled in", () => {
    NestLogger.overrideLogger(logger);
    new NestLogger('Orders').log('%s orders', 3);
    NestLogger.log('without a context');
    expect(logged()).toMatchObject([
      { level: 30, msg: '3 orders', context: 'Orders' },
      { level: 30, msg: 'without a context' },
    ]);
  });

  it.each([null, undefined, 3, true])('writes %s, too', (message) => {
    logger.log(message, 'Here');
    expect(logged()).toMatchObject([{ level: 30, context: 'Here' }]);
  });
});
