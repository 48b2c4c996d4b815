import { createLogger } from './logger.js';

describe('createLogger', () => {
  it('writes one JSON object a line, and nothing below its level', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    logger.debug('not this');
    logger.info({ route: '/x' }, 'two\nlines');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toEqual({ level: 30, time: expect.any(String), route: '/x', msg: 'two\nlines' });
  });

  it.each(['password', 'token', 'refresh_token', 'code', 'carrier', 'authorization', 'cookie', 'client_secret'])(
    'never writes what is called %s, at the top or one level below',
    (name) => {
      let text = '';
      const logger = createLogger('info', { write: (line) => void (text += line) });
      logger.info({ [name]: 'sesame', body: { [name]: 'sesame' } }, 'x');
      expect(text).toContain('[redacted]');
      expect(text).not.toContain('sesame');
    },
  );
});
