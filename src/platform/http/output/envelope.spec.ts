import { AppError } from '../../../kernel/errors/app-error.js';
import { rawAnswer, toEnvelope } from './envelope.js';

describe('the envelope of a failure', () => {
  it('has the status as text, a sentence, and the error value', () =>
    expect(toEnvelope(new AppError('token_missing'))).toEqual({
      code: '401',
      message: 'Sign in first: no access token was sent.',
      data: { error: 'token_missing' },
    }));

  it('says nothing of the cause', () => {
    const error = new AppError('internal_error', { cause: new Error('sesame') });
    expect(JSON.stringify(toEnvelope(error))).not.toContain('sesame');
  });

  it('is a whole answer for a connection whose request could not be parsed', () => {
    const [head = '', body = ''] = rawAnswer(new AppError('headers_too_large'), { vary: 'Origin' }).split('\r\n\r\n');
    const [status, ...fields] = head.split('\r\n');
    const headers = Object.fromEntries(fields.map((field) => field.split(': ')));
    expect(status).toBe('HTTP/1.1 431 Request Header Fields Too Large');
    expect(headers).toMatchObject({
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      connection: 'close',
      vary: 'Origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(JSON.parse(body)).toMatchObject({ code: '431', data: { error: 'headers_too_large' } });
  });
});
