import { nameIn, sayRefused, speakIn } from './page-name.js';

const DOCUMENT = '<meta name="application-name" content="Lintel" /><title>Lintel</title><p>Lintel</p>';

describe('nameIn', () => {
  it('puts the name where the pages read it, and nowhere else', () => {
    expect(nameIn(DOCUMENT, 'Acme')).toBe(
      '<meta name="application-name" content="Acme" /><title>Acme</title><p>Lintel</p>',
    );
  });

  it('escapes what would end the text or the attribute', () => {
    const name = `"><script>alert('x')</script> & $1 $&`;
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; $1 $&amp;';
    expect(nameIn(DOCUMENT, name)).toBe(
      `<meta name="application-name" content="${escaped}" /><title>${escaped}</title><p>Lintel</p>`,
    );
  });
});

describe('speakIn', () => {
  it('puts language and direction to the root, and leaves the rest', () => {
    expect(speakIn('<!doctype html><html lang="en" dir="ltr" data-x="1"><p lang="en">', 'de')).toBe(
      '<!doctype html><html lang="de" dir="ltr" data-x="1"><p lang="en">',
    );
  });
});

describe('sayRefused', () => {
  it('marks the document beside its name, which stays', () => {
    const marked = sayRefused(nameIn(DOCUMENT, '$& Acme'), null);
    expect(marked).toContain('<meta name="page" content="none" />');
    expect(marked.replace(/<meta name="page" content="none" \/>\s*/, '')).toBe(nameIn(DOCUMENT, '$& Acme'));
  });
});
