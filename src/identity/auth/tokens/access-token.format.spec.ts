import type { FastifyRequest } from 'fastify';
import { findToken } from './access-token.format.js';

/** Returns a request with these headers. Its cookies are parsed as the cookie plugin does. */
function request(headers: { authorization?: string; cookie?: string }): FastifyRequest {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=') as [string, string?]);
  const cookies = Object.fromEntries(pairs.filter(([name]) => name !== '').map(([name, value]) => [name, value ?? '']));
  return { headers, cookies } as unknown as FastifyRequest;
}

describe('the token of a request', () => {
  it.each(['Bearer abc', 'bearer abc', 'BEARER  abc'])('is the value after %j', (authorization) =>
    expect(findToken(request({ authorization }))).toEqual({ token: 'abc', from: 'header' }),
  );

  it.each([
    ['Bearer abc def', 'abc def'],
    ['Bearer abc ', 'abc '],
    ['Bearer abc,Bearer def', 'abc,Bearer def'],
    ['Bearer', ''],
  ])('is read completely: %j', (authorization, token) =>
    expect(findToken(request({ authorization }))).toEqual({ token, from: 'header' }),
  );

  it('is read from the header before the cookie, even if the header is invalid', () => {
    expect(findToken(request({ authorization: 'Bearer abc', cookie: 'token=def' }))).toEqual({
      token: 'abc',
      from: 'header',
    });
    expect(findToken(request({ authorization: 'Bearer', cookie: 'token=def' }))).toEqual({ token: '', from: 'header' });
  });

  it('is read from the cookie if the header has another scheme or is missing', () => {
    expect(findToken(request({ cookie: 'a=b; token=def' }))).toEqual({ token: 'def', from: 'cookie' });
    expect(findToken(request({ authorization: 'Basic abc', cookie: 'token=def' }))).toEqual({
      token: 'def',
      from: 'cookie',
    });
  });

  it.each([
    {},
    { authorization: 'Basic abc' },
    { authorization: 'Bearerabc' },
    { cookie: 'token=' },
    { cookie: 'xtoken=a' },
  ])('is missing in %j', (headers) => expect(findToken(request(headers))).toBeNull());

  it('is rejected if two cookies have the name', () =>
    expect(findToken(request({ cookie: 'token=abc; token=def' }))).toEqual({ token: '', from: 'cookie' }));
});
