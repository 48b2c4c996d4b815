import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { Mailbox } from '../../support/mailbox.js';
import { signIn } from '../../support/service-users.js';
import { builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { codeBlocks, isAsShown, readPage, runBlocks } from '../../support/shell-page.js';

jest.setTimeout(180_000);

/** In a clone, `npm run cli -- …` builds first. Here the product is already built. */
const NPM = `npm() { shift 3; node '${builtProduct()}/cli.js' "$@"; }`;

const blocksOf = (page: string, language: string): string[] =>
  codeBlocks(readPage(`guides/operating/${page}.md`), language);

describe('docs/guides/operating', () => {
  const place = useServiceHome();
  let service: Service;
  let mailbox: Mailbox;

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    service = await place.home.start({ env: { METRICS_PORT: '0', LOG_LEVEL: 'info', MAIL_URL: mailbox.url } });
  });
  afterAll(() => mailbox.close());

  it('reads and verifies the audit log, settings, mails, jobs and sessions as documented', async () => {
    const boss = { email: 'auditor@example.com', password: 'sturdy walnut 47' };
    await place.home.json('admin:create', '--email', boss.email, '--password', boss.password);
    const env = { ...place.home.env, TOKEN: await signIn(service, boss) } as Record<string, string>;
    const sections = ['audit-log', 'administration'].flatMap((page) => blocksOf(page, 'sh'));
    const blocks = sections.map((block) => block.replaceAll('http://localhost:8000', service.url));
    const [, ...ran] = await runBlocks([NPM, ...blocks], env, place.home.directory);
    expect(ran).toHaveLength(3);
    for (const { printed, expected } of ran) {
      expect(expected.length).toBeGreaterThan(0);
      for (const [at, line] of expected.entries())
        expect({ line, shown: isAsShown(printed[at] ?? '', line), printed }).toEqual({ line, printed, shown: true });
    }
    expect(await mailbox.waitFor('ops@example.com')).toMatchObject({
      subject: expect.stringContaining('test') as string,
    });
  });

  it('serves the metrics as documented', async () => {
    const [, origin = ''] = /"url":"(http:[^"]+)\/metrics"/.exec(service.stdout) ?? [];
    const [block = ''] = blocksOf('metrics', 'sh');
    const here = block.replaceAll('http://localhost:9464', origin);
    const [ran] = await runBlocks([here], place.home.env as Record<string, string>, place.home.directory);
    expect(ran).toMatchObject({ printed: [expect.any(String)], expected: [expect.any(String)] });
    expect(isAsShown(ran?.printed[0] ?? '', ran?.expected[0] ?? '')).toBe(true);
  });

  it('changes APP_KEY as documented', async () => {
    await service.stop();
    const env = {
      ...place.home.env,
      APP_KEY: readFileSync(join(place.home.dataDir, 'app.key'), 'utf8').trim(),
    } as Record<string, string>;
    const blocks = blocksOf('app-key', 'sh');
    const [, change, rotate] = await runBlocks([NPM, ...blocks], env, place.home.directory);
    expect([blocks.length, change?.printed]).toEqual([2, []]);
    const [shown = ''] = blocksOf('app-key', 'text');
    expect(rotate?.printed).toEqual(shown.split('\n').filter((line) => line !== ''));
  });

  it('traces as documented', async () => {
    const [shown = ''] = blocksOf('tracing', 'js');
    const sdk = pathToFileURL(require.resolve('@opentelemetry/sdk-trace-node')).href;
    // Spans go to standard output instead of a collector, and are sent immediately.
    const here = shown
      .replace(
        "{ OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'",
        `{ ConsoleSpanExporter as OTLPTraceExporter } from '${sdk}'`,
      )
      .replace(
        "BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'",
        `SimpleSpanProcessor as BatchSpanProcessor, NodeTracerProvider } from '${sdk}'`,
      );
    const file = join(place.home.directory, 'tracing.mjs');
    writeFileSync(file, here);
    const traced = await place.home.start({ env: { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` } });
    await traced.get('/api/auth/methods');
    await traced.says(/name: 'GET \/api\/auth\/methods'/);
    await traced.stop();
  });
});
