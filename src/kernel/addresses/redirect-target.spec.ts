import { parseRedirectTarget } from './redirect-target.js';

const HOSTS = ['app.example.com', 'xn--bcher-kva.example', '10.0.0.5', '2001:db8::5', '2130706433', 'files.localhost'];

describe('parseRedirectTarget', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1/',
    'http://127.0.0.1:1',
    'http://127.0.0.1:49152/callback',
    'http://127.0.0.1:65535/callback?app=1&x=%20',
    'http://127.0.0.1:80/callback',
    'https://127.0.0.1:443/callback',
    'http://127.0.0.1:443/callback',
    'https://127.0.0.1:8443/callback',
    'http://127.0.0.1?app=1',
    'http://[::1]:5000/callback',
    'https://[::1]/callback',
    'http://localhost:5000/callback',
    'https://localhost/callback',
    "http://localhost:5000/a/b;c=1,2/~x!$&'()*+:=",
    'http://localhost:5000/callback?next=http://elsewhere.example/',
    'http://localhost:5000/callback?',
    'https://app.example.com/callback',
    'https://app.example.com:8443/callback?x=1',
    'https://xn--bcher-kva.example/callback',
    'https://10.0.0.5/callback',
    'https://[2001:db8::5]:8443/callback',
  ])('allows %s', (text) => expect(parseRedirectTarget(text, HOSTS)?.href).toBe(new URL(text).href));

  it.each([
    // Hosts other than loopback: https only, listed only, matched exactly
    'http://app.example.com/callback',
    'https://example.com/callback',
    'https://evil.app.example.com/callback',
    'https://app.example.com.evil.example/callback',
    'https://app-example.com/callback',
    'https://app.example.com./callback',
    'https://APP.example.com/callback',
    'https://bücher.example/callback',
    'http://10.0.0.5/callback',
    'https://[2001:db8:0::5]/callback',
    'https://[2001:DB8::5]/callback',
    'https://*.example.com/callback',

    // Other spellings of loopback
    'http://127.1/callback',
    'http://127.0.1/callback',
    'http://127.000.000.001/callback',
    'http://0127.0.0.1/callback',
    'http://2130706433/callback',
    'https://2130706433/callback',
    'http://0x7f000001/callback',
    'http://0x7f.0.0.1/callback',
    'http://017700000001/callback',
    'http://127.0.0.2/callback',
    'http://0.0.0.0/callback',
    'http://0/callback',
    'http://127.0.0.1./callback',
    'http://localhost./callback',
    'http://LOCALHOST/callback',
    'http://LocalHost:5000/callback',
    'http://ｌｏｃａｌｈｏｓｔ/callback',
    'http://１２７.0.0.1/callback',
    'http://127。0。0。1/callback',
    'http://loc%61lhost/callback',
    'http://%6c%6f%63alhost/callback',
    'http://[0:0:0:0:0:0:0:1]/callback',
    'http://[::0001]/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://[::ffff:7f00:1]/callback',
    'http://[::1%25lo]/callback',
    'http://[::]/callback',
    'http://::1/callback',
    'http://files.localhost/callback',

    // Loopback in name only
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1.nip.io/callback',
    'http://localhost-evil.example/callback',
    'http://evil.example/127.0.0.1',
    'http://evil.example?127.0.0.1/',
    'http://evil.example:80/?@127.0.0.1/',

    // User information
    'http://127.0.0.1@evil.example/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://localhost:x@evil.example/callback',
    'http://user@127.0.0.1/callback',
    'http://user:secret@localhost/callback',
    'http://@localhost/callback',
    'http://:@localhost/callback',
    'https://app.example.com@evil.example/callback',
    'http://localhost%40evil.example/callback',
    'http://127.0.0.1/@evil.example',

    // Characters that a parser drops, converts or tolerates
    'http://127.0.0.1\\@evil.example/callback',
    'http://evil.example\\@127.0.0.1/callback',
    'http:\\\\127.0.0.1/callback',
    'http://127.0.0.1\\callback',
    'http:/\\127.0.0.1/callback',
    'http:127.0.0.1/callback',
    'http:/127.0.0.1/callback',
    'http:///127.0.0.1/callback',
    ' http://127.0.0.1/callback',
    'http://127.0.0.1/callback ',
    'http://127.0.0.1/call back',
    'http://127.0.0.1/callback\n',
    'http://127.0.0.1/call\r\nback',
    'http://local\thost/callback',
    'ht\ntp://127.0.0.1/callback',
    'http://127.0.0.1\u0000.evil.example/callback',
    'http://127.0.0.1/callback\u0000',
    'http://127.0.0.1\u00ad/callback',
    'http://127.0.0.1\u200b/callback',
    'http://127.0.0.1/\u202ekcabllac',
    'http://127.0.0.1/%zz',
    'http://127.0.0.1/%',
    'http://127.0.0.1/"><script>',
    'http://127.0.0.1/<b>',
    'http://127.0.0.1/`x`',
    'http://127.0.0.1/{x}|^',

    // Fragments
    'http://127.0.0.1/callback#x',
    'http://127.0.0.1/callback#',
    'http://127.0.0.1#@evil.example/',
    'http://evil.example#127.0.0.1/',

    // Ports
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:0/callback',
    'http://127.0.0.1:065/callback',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:123456/callback',
    'http://127.0.0.1:-1/callback',
    'http://127.0.0.1:8o80/callback',
    'http://127.0.0.1:80:80/callback',
    'http://127.0.0.1:５０/callback',

    // Schemes
    'HTTP://127.0.0.1/callback',
    'ftp://127.0.0.1/callback',
    'ws://127.0.0.1/callback',
    'file:///etc/passwd',
    'javascript:alert(1)//127.0.0.1/',
    'data:text/html,127.0.0.1',
    'com.example.app:/callback',
    'com.example.app://localhost/callback',
    '//127.0.0.1/callback',
    '/callback',
    '127.0.0.1/callback',
    'localhost:5000',
    'http://',
    'http:// ',
    'https://',
    '',
    'null',

    // Parameters that the response adds must not be present
    'http://127.0.0.1/callback?code=1',
    'http://127.0.0.1/callback?x=1&state=2',
    'http://127.0.0.1/callback?c%6fde=1',
  ])('rejects %j', (text) => expect(parseRedirectTarget(text, HOSTS)).toBeNull());

  it('allows only loopback if no host is listed', () => {
    expect(parseRedirectTarget('http://localhost:5000/', [])).not.toBeNull();
    expect(parseRedirectTarget('https://app.example.com/', [])).toBeNull();
    expect(parseRedirectTarget('https://example.com/', [''])).toBeNull();
  });
});
