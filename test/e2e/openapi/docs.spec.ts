import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltPages } from '../../../src/edge/dash/built-pages.js';
import { BUILT_PAGES } from '../../../src/edge/dash/page.service.js';
import { useTestApp } from '../../support/test-app.js';

/** The page before its script and its style have names; test/browser/docs.mjs uses the built one. */
const SOURCE = readFileSync(join(__dirname, '../../../dash/reference.html'), 'utf8');
const PAGES: BuiltPages = { index: '', reference: SOURCE, directory: __dirname, assets: new Set() };

describe('GET /api/docs', () => {
  const world = useTestApp({
    env: { APP_NAME: 'Fish & <Chips>' },
    override: (builder) => builder.overrideProvider(BUILT_PAGES).useValue(PAGES),
  });

  it('is there for everybody, under a policy that lets nothing run but its own files', async () => {
    const { headers, text } = await world.app.asGuest().get('/api/docs').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script[^>]*>[^<]/i);
    expect(text).not.toMatch(/https?:\/\//);
  });

  it('bears the name of the service, and holds nothing of its data', async () => {
    const guest = await world.app.asGuest().get('/api/docs').expect(200);
    expect(guest.text).toBe(
      SOURCE.replaceAll('"Lintel"', '"Fish &amp; &lt;Chips&gt;"').replace('>Lintel<', '>Fish &amp; &lt;Chips&gt;<'),
    );
    const junk = await world.app
      .asGuest()
      .get('/api/docs?url=https://other.example/x.json&configUrl=//other.example/')
      .expect(200);
    expect(junk.text).toBe(guest.text);
  });

  it.each(['docs.js', 'swagger-ui.css', '..%2fdash.module.ts', 'constructor', '__proto__'])(
    'has nothing below it: %s',
    async (name) => {
      await world.app
        .asGuest()
        .get(`/api/docs/${name}`)
        .expect(404, /route_not_found/);
    },
  );
});
