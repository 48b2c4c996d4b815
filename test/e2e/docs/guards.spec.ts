import { join } from 'node:path';
import { runIn, writeFiles } from '../../support/packed-package.mjs';
import { compile, makeConsumer } from '../../support/own-application.js';
import { createPerson } from '../../support/people.js';
import { useServiceHome } from '../../support/service-home.js';
import { isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';
import { TestApp } from '../../support/test-app.js';

const PAGE = readPage('guides/sign-in/other-services.md');
const MAIN = /```ts\n\/\/ src\/main\.ts\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
/** Prints the ESM and CommonJS modules that an import loads. */
const PROBE = `import { createRequire, register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(
  'export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }'));
await import('lintel/guards');
console.error(Object.keys(createRequire(import.meta.url).cache).join('\\n'));
`;

describe('docs/guides/sign-in/other-services.md', () => {
  const place = useServiceHome();
  const [part] = pageParts(PAGE);
  let lintel: TestApp;

  beforeAll(async () => {
    makeConsumer(place.home.directory, { 'src/main.ts': MAIN });
    expect(compile(place.home.directory, ['src/main.ts'])).toEqual([]);
    lintel = await TestApp.start({ env: part!.env });
  });
  afterAll(() => lintel?.stop());

  it('every command works and returns what the page shows', async () => {
    await createPerson(lintel, { email: 'you@example.com', roles: ['admin'] });
    const [first = '', second = ''] = part!.blocks;
    const [made] = await runBlocks([first], { BASE: lintel.url }, place.home.directory);
    expect(isAsShown(made!.printed[0] ?? '', made!.expected[0] ?? '')).toBe(true);
    await createPerson(lintel, { email: 'clerk@example.com', roles: ['clerk'] });
    const [, key] = made!.printed[0]!.split('=');
    const shop = place.home.spawn({
      program: join(place.home.directory, 'dist/main.js'),
      env: { LINTEL_ISSUER: lintel.config.appUrl, LINTEL_URL: lintel.url, LINTEL_KEY: key! },
    });
    await shop.says(/^http:\S+$/m);
    const url = /^http:\S+$/m.exec(shop.stdout)![0];
    const [run] = await runBlocks([second], { BASE: lintel.url, SHOP: url }, place.home.directory);
    await shop.stop();
    const wrong = run!.expected.filter((line, at) => !isAsShown(run!.printed[at] ?? '', line));
    expect({ printed: run!.printed, wrong }).toEqual({ printed: run!.printed, wrong: [] });
    expect(run!.printed).toHaveLength(run!.expected.length);
  });

  it('lintel/guards loads no database, server or content code', async () => {
    writeFiles(place.home.directory, { 'probe.mjs': PROBE });
    const { code, output } = await runIn(place.home.directory, 'node', 'probe.mjs');
    expect(code).toBe(0);
    const loaded = output.split('\n');
    expect(loaded.length).toBeGreaterThan(30);
    expect(loaded.some((url) => url.endsWith('dist/src/guards.js'))).toBe(true);
    const heavy =
      /node_modules\/(typeorm|pg|pg-\w+|fastify|@fastify|@nestjs\/(typeorm|platform-\w+|swagger)|passport|nodemailer)\//;
    const ours = /dist\/src\/(data|sign-in|features|platform)\//;
    expect(loaded.filter((url) => heavy.test(url) || ours.test(url))).toEqual([]);
  });
});
