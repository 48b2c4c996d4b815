import { nameIn, pagePolicy, withSetupError, withLanguage } from './page.service.js';

const DOCUMENT = '<meta name="application-name" content="Lintel" /><title>Lintel</title><p>Lintel</p>';

describe('nameIn', () => {
  it('inserts the name where the pages read it only', () => {
    expect(nameIn(DOCUMENT, 'Acme')).toBe(
      '<meta name="application-name" content="Acme" /><title>Acme</title><p>Lintel</p>',
    );
  });

  it('escapes the end of a text or attribute', () => {
    const name = `"><script>alert('x')</script> & $1 $&`;
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; $1 $&amp;';
    expect(nameIn(DOCUMENT, name)).toBe(
      `<meta name="application-name" content="${escaped}" /><title>${escaped}</title><p>Lintel</p>`,
    );
  });
});

describe('speakIn', () => {
  it('sets language and direction on the root, and keeps the rest', () => {
    expect(withLanguage('<!doctype html><html lang="en" dir="ltr" data-x="1"><p lang="en">', 'de')).toBe(
      '<!doctype html><html lang="de" dir="ltr" data-x="1"><p lang="en">',
    );
  });
});

describe('sayRefused', () => {
  it('marks the document, and keeps its name', () => {
    const marked = withSetupError(nameIn(DOCUMENT, '$& Acme'), null);
    expect(marked).toContain('<meta name="page" content="none" />');
    expect(marked.replace(/<meta name="page" content="none" \/>\s*/, '')).toBe(nameIn(DOCUMENT, '$& Acme'));
  });
});

const formAction = (redirectUri: string | null): string => pagePolicy(redirectUri).split('; ').at(-1) ?? '';

describe('pagePolicy', () => {
  it('lets a page load its own files and nothing else', () => {
    expect(pagePolicy(null)).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    );
  });

  it.each([
    ['http://127.0.0.1:49152/callback', 'http://127.0.0.1:49152'],
    ['http://localhost:8123/cb?x=1', 'http://localhost:8123'],
    ['http://localhost', 'http://localhost'],
    ['https://app.example.com/done', 'https://app.example.com'],
    ['https://localhost:4000/', 'https://localhost:4000'],
  ])('names the exact origin of %s', (redirectUri, origin) => {
    expect(formAction(redirectUri)).toBe(`form-action 'self' ${origin}`);
  });

  it.each([
    ['http://[::1]:49152/callback', 'http:'],
    ['https://[::1]:49152/callback', 'https:'],
    ['https://[2001:db8::7]/callback', 'https:'],
    ['https://192.0.2.7:8443/callback', 'https:'],
  ])('names the scheme of %s, whose host no source expression can name', (redirectUri, scheme) => {
    expect(formAction(redirectUri)).toBe(`form-action 'self' ${scheme}`);
  });
});
