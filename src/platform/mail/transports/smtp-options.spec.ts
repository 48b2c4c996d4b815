import { ConfigError } from '../../config/parse-config.js';
import { smtpOptions } from './smtp-options.js';

describe('smtpOptions', () => {
  it.each([
    ['smtp://mail.example', { host: 'mail.example', port: undefined, secure: false, auth: undefined }],
    ['smtp://mail.example:2525', { port: 2525, secure: false }],
    ['smtps://mail.example:465', { port: 465, secure: true }],
    ['smtp://[::1]:25', { host: '::1', port: 25 }],
    ['smtp://ann%40example.com:p%3A%2F%40%25@mail.example', { auth: { user: 'ann@example.com', pass: 'p:/@%' } }],
    ['smtp://ann:a:b@mail.example', { auth: { user: 'ann', pass: 'a:b' } }],
    ['smtp://mail.example?requireTLS=true', { requireTLS: true, ignoreTLS: undefined }],
    ['smtp://mail.example/?tls.rejectUnauthorized=false&ignoreTLS=true', { tls: { rejectUnauthorized: false } }],
  ])('reads %s', (url, expected) => {
    expect(smtpOptions(url)).toMatchObject(expected);
  });

  it.each([
    'smtp://',
    'smtp://ann:100%@mail.example',
    'smtp://ann:secret@mail.example?pool=true',
    'smtp://ann:secret@mail.example?requireTLS=yes',
    'smtp://ann:secret@mail.example?__proto__=true',
  ])('rejects %s without repeating it', (url) => {
    expect(() => smtpOptions(url)).toThrow(ConfigError);
    expect(() => smtpOptions(url)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/secret|ann/) }),
    );
  });

  it('sets timeouts', () => {
    const { connectionTimeout, greetingTimeout, socketTimeout } = smtpOptions('smtp://mail.example');
    for (const bound of [connectionTimeout, greetingTimeout, socketTimeout]) expect(bound).toBeLessThanOrEqual(30_000);
  });
});
