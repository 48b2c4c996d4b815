import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { useTestApp } from '../../support/test-app.js';

const PAGE = join(__dirname, '../../../src/edge/openapi/page');

describe('GET /api/docs', () => {
  const world = useTestApp();

  it('is there for everybody, and loads nothing but its own files', async () => {
    const { headers, text } = await world.app.asGuest().get('/api/docs').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script[^>]*>[^<]/i);
    expect(text).not.toMatch(/https?:\/\//);
    const loaded = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) await world.app.asGuest().get(`/api/${path}`).expect(200);
  });

  it('has files of the right types, small together, and without an address of anybody else', async () => {
    let bytes = 0;
    for (const name of readdirSync(PAGE)) {
      const { headers, body, text } = await world.app.asGuest().get(`/api/docs/${name}`).buffer(true).expect(200);
      const type = /^text\/(html|css|javascript); charset=utf-8$|^image\/svg\+xml/;
      expect([name, headers['content-type']]).toEqual([name, expect.stringMatching(type)]);
      expect(headers['x-content-type-options']).toBe('nosniff');
      const content = text ?? (body as Buffer).toString();
      expect(content).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|www\.w3\.org\/2000\/svg)/);
      expect(content).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval\(|Storage\b/);
      bytes += Buffer.byteLength(content);
    }
    expect(bytes).toBeLessThan(30 * 1_024);
  });

  it('is asked for again only where it changed', async () => {
    const { headers } = await world.app.asGuest().get('/api/docs/docs.js').expect(200);
    const tag = headers['etag'] as string;
    await world.app.asGuest().get('/api/docs/docs.js').set('if-none-match', tag).expect(304);
    await world.app.asGuest().get('/api/docs/docs.css').set('if-none-match', tag).expect(200);
  });

  it.each(['nothing.js', '..%2freference.controller.ts', '%2e%2e%2f%2e%2e%2fmain.js', 'constructor', '__proto__'])(
    'has no file %s',
    async (name) => {
      await world.app
        .asGuest()
        .get(`/api/docs/${name}`)
        .expect(404, /route_not_found/);
    },
  );
});
