import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltPages } from '../../../src/edge/dash/built-pages.js';
import { BUILT_PAGES } from '../../../src/edge/dash/page.service.js';
import type { OpenApi } from '../../../dash/src/reference/open-api.js';
import { shownDocument } from '../../../dash/src/reference/shown-document.js';
import { LANGUAGES, sampleRequest } from '../../../dash/src/reference/snippets.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { useTestApp } from '../../support/test-app.js';

/** The page before the build names its script and style. test/browser/docs.mjs uses the built page. */
const SOURCE = readFileSync(join(__dirname, '../../../dash/reference.html'), 'utf8');
const PAGES: BuiltPages = { index: '', reference: SOURCE, directory: __dirname, assets: new Set() };

describe('GET /api/docs', () => {
  const world = useTestApp({
    env: { APP_NAME: 'Fish & <Chips>' },
    override: (builder) => builder.overrideProvider(BUILT_PAGES).useValue(PAGES),
  });

  it('is public, with a policy that allows only its own files', async () => {
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

  it('has the name of the service, and none of its data', async () => {
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
    'serves nothing below it: %s',
    async (name) => {
      await world.app
        .asGuest()
        .get(`/api/docs/${name}`)
        .expect(404, /route_not_found/);
    },
  );

  describe('for an administrator', () => {
    let document: OpenApi;

    beforeAll(async () => {
      const { root } = await makeMagazine(world.app);
      document = (await DocumentInHand.of(root)).json as unknown as OpenApi;
    });

    it('has a complete sample of every operation in every language', () => {
      let count = 0;
      for (const [path, operations] of Object.entries(document.paths)) {
        for (const method of Object.keys(operations)) {
          const request = sampleRequest(document, path, method, 'http://localhost:8000');
          for (const { write } of LANGUAGES) {
            const text = write(request!);
            expect(text).toMatch(/^(curl |const response = await fetch\(|from urllib)/);
            expect(text.replaceAll('{TOKEN}', '')).not.toMatch(/undefined|\[object|NaN|\{\w+\}/);
            count += 1;
          }
        }
      }
      expect(count).toBeGreaterThan(240);
    });

    it('shows the content first, and sends requests to the origin of the page', () => {
      const shown = shownDocument(document, 'http://other.localhost') as OpenApi;
      const isData = shown.tags.map((tag) => tag['x-schema'] !== undefined);
      expect(isData).toEqual([...isData].sort((a, b) => Number(b) - Number(a)));
      expect(shown.servers).toEqual([{ url: 'http://other.localhost' }]);
      expect(Object.keys(shown.paths)).toEqual(Object.keys(document.paths));
    });
  });
});
