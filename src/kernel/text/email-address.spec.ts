import { parseEmailAddress } from './email-address.js';

describe('parseEmailAddress', () => {
  it.each([
    ['ann@example.com', 'ann@example.com', 'ann@example.com'],
    ['Ann.Lee+tag@Example.COM', 'Ann.Lee+tag@example.com', 'ann.lee+tag@example.com'],
    ['x@bücher.example', 'x@xn--bcher-kva.example', 'x@xn--bcher-kva.example'],
    ['x@BÜCHER.example', 'x@xn--bcher-kva.example', 'x@xn--bcher-kva.example'],
    ['x@xn--bcher-kva.example', 'x@xn--bcher-kva.example', 'x@xn--bcher-kva.example'],
  ])('reads %s', (text, ascii, key) => {
    expect(parseEmailAddress(text)).toMatchObject({ address: text, ascii, key });
  });

  it.each([
    '',
    'ann',
    '@example.com',
    'ann@',
    'ann@localhost',
    'a@b@example.com',
    'ann@example.com.',
    'ann@.example.com',
    'ann@example..com',
    '.ann@example.com',
    'ann.@example.com',
    'a..b@example.com',
    '"ann"@example.com',
    'ann@example.com, eve@evil.com',
    'ann@example.com;eve@evil.com',
    'Ann <ann@example.com>',
    'ann(x)@example.com',
    'ann@example.com\r\nBcc: eve@evil.com',
    'ann@example.com\n',
    ' ann@example.com',
    'ann@example.com ',
    'an\u200bn@example.com',
    'ann@exam\u200bple.com',
    'ann@ｅxample.com',
    'аnn@example.com',
    'ann@example\u3002com',
    'ann@[127.0.0.1]',
    'ann@127.0.0.1',
    'ann@-example.com',
    'ann@exa_mple.com',
    'ann@example.com/../x',
    'ann@ex%61mple.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(130)}com`,
    'ann@exam\u00adple.com',
  ])('rejects %j', (text) => {
    expect(parseEmailAddress(text)).toBeNull();
  });
});
