import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAppConfig } from '../../../src/app.module.js';
import { BUILT_PAGES } from '../../../src/edge/dash/page.service.js';
import { TEST_ENVIRONMENT } from '../../../src/testing/start-app.js';
import { useTestApp } from '../../support/test-app.js';

const directory = mkdtempSync(join(tmpdir(), 'lintel-brand-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
const SVG =
  '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const PAGES = { index: '<html lang="en"><head></head>', reference: '', directory, assets: new Set() };

describe('branding', () => {
  const world = useTestApp({
    env: {
      APP_LOGO: file('logo.svg', SVG),
      APP_ACCENT: '#FFD400',
      APP_TERMS_URL: 'https://acme.example/terms?a=1&b="2"',
      APP_PRIVACY_URL: 'https://acme.example/privacy/',
    },
    override: (builder) => builder.overrideProvider(BUILT_PAGES).useValue(PAGES),
  });

  it('is in the document, which loads nothing from other origins', async () => {
    const { text, headers } = await world.app.asGuest().get('/dash/login').expect(200);
    expect(text).toMatch(/<meta name="app-logo" content="\/dash\/brand\/logo\?[0-9a-f]{12}" \/>/);
    expect(text).toContain('<meta name="app-terms" content="https://acme.example/terms?a=1&amp;b=&quot;2&quot;" />');
    expect(text).toContain('<meta name="app-privacy" content="https://acme.example/privacy" />');
    expect(text).toMatch(/<link rel="stylesheet" href="\/dash\/brand\/colors\.css\?[0-9a-f]{12}" \/>\s*<\/head>/);
    expect(headers['content-security-policy']).toContain("style-src 'self'; img-src 'self' data:");
  });

  it('shows the logo, which cannot run scripts', async () => {
    const { headers, body } = await world.app.asGuest().get('/dash/brand/logo').expect(200);
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'x-content-type-options': 'nosniff' });
    expect(headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    expect(Buffer.from(body as Buffer).toString()).toBe(SVG);
  });

  it('darkens an accent that is too pale, and logs it at the start', async () => {
    const { text, headers } = await world.app.asGuest().get('/dash/brand/colors.css').expect(200);
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    const [, main] = /--mantine-color-lintel-8:(#[0-9a-f]{6})/.exec(text)!;
    expect(main).not.toBe('#ffd400');
    expect(world.app.log.join('')).toContain(
      `APP_ACCENT #ffd400 has too little contrast. Buttons and links use ${main} instead.`,
    );
  });
});

describe('an invalid brand', () => {
  it.each([
    ['APP_LOGO', join(directory, 'none.svg'), 'APP_LOGO must name an existing file'],
    ['APP_LOGO', directory, 'APP_LOGO must name an existing file'],
    ['APP_LOGO', file('page.html', '<!doctype html><svg>'), 'APP_LOGO must name an image: SVG, PNG or WebP'],
    ['APP_LOGO', file('large.svg', `<svg>${' '.repeat(300_000)}</svg>`), 'APP_LOGO must name a file of at most 200 KB'],
    ['APP_ACCENT', 'teal', 'APP_ACCENT must be a colour such as #1c5b6a'],
    ['APP_ACCENT', '#fff', 'APP_ACCENT must be a colour such as #1c5b6a'],
    ['APP_TERMS_URL', 'javascript:alert(1)', 'APP_TERMS_URL must be an address'],
    ['APP_PRIVACY_URL', 'acme.example', 'APP_PRIVACY_URL must be an address'],
  ])('stops the start: %s=%s', (name, value, fault) => {
    const parse = () => parseAppConfig({ ...TEST_ENVIRONMENT, DATA_DIR: directory, [name]: value });
    expect(parse).toThrow(fault);
  });
});

describe('pages without branding', () => {
  const world = useTestApp({ override: (builder) => builder.overrideProvider(BUILT_PAGES).useValue(PAGES) });

  it('show the product', async () => {
    const { text } = await world.app.asGuest().get('/dash/login').expect(200);
    expect(text).toBe('<html lang="en" dir="ltr"><head><meta name="app-remembers" content="30" />\n  </head>');
    for (const path of ['logo', 'colors.css']) await world.app.asGuest().get(`/dash/brand/${path}`).expect(404);
  });
});
