import { AppError } from '../../../kernel/errors/app-error.js';
import { rawAnswer, toEnvelope } from './envelope.js';

describe('the envelope of an error', () => {
  it('has the status as text, a message, and the error code', () =>
    expect(toEnvelope(new AppError('token_missing'))).toEqual({
      code: '401',
      message: 'No access token was sent. Sign in first.',
      data: { error: 'token_missing' },
    }));

  it('does not contain the cause', () => {
    const error = new AppError('internal_error', { cause: new Error('sesame') });
    expect(JSON.stringify(toEnvelope(error))).not.toContain('sesame');
  });

  it('is a complete response for a request that could not be parsed', () => {
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
