import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signIn } from '../../support/service-people.js';
import { builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '../../..');
const BOSS = { email: 'you@example.com', password: 'sturdy walnut 47' };
/** In a clone, `npm run cli -- …` builds first. Here the product is already built. */
const NPM = `npm() { shift 3; node '${builtProduct()}/cli.js' "$@"; }`;

function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!);
}

describe('the commands of README, content.md, roles.md and schemas.md', () => {
  const place = useServiceHome();
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  let service: Service;
  let token: string;
  /** Runs the commands of the pages with the data and the service of this test. */
  const run = async (...texts: string[]): Promise<string[]> => {
    const variables = {
      DATA_DIR: place.home.dataDir,
      TOKEN: token ?? '',
      PORT: new URL(service?.url ?? 'http://localhost:0').port,
    };
    const here = texts.map((text) =>
      text.replaceAll('http://localhost:8000', service?.url ?? '').replaceAll('localhost:8000', service?.url ?? ''),
    );
    const [, ...rest] = await runBlocks(
      [NPM, ...here],
      { ...place.home.env, ...variables } as Record<string, string>,
      ROOT,
    );
    for (const { block, printed, expected } of rest)
      for (const [at, line] of expected.entries())
        expect({ block, line, shown: isAsShown(printed[at] ?? '', line), printed }).toMatchObject({ shown: true });
    return rest.flatMap(({ printed }) => printed);
  };

  it('make the blog before the service starts', async () => {
    const [text = ''] = blocks(readme, 'sh').filter((block) => block.includes('schema:apply'));
    expect(text).toMatch(/npm start\n$/);
    await run(text.replace(/npm start\n$/, ''));
    service = await place.home.start({ env: { RATE_LIMIT_ENABLED: 'false' } });
    token = await signIn(service, BOSS);
  });

  it('seed.mjs fills the service at PORT, and names the address that it cannot reach', async () => {
    const [text = ''] = blocks(readme, 'sh').filter((block) => block.includes('seed.mjs'));
    const [seed = '', list = ''] = text.split('\n');
    expect(await run(`${seed} --posts 500`, `${list}; echo`)).toEqual([
      '500 of 500 posts are there.',
      expect.stringMatching(/^\{"data":\{"total":\d{2,3},.*"tags":\[\{"name":/),
    ]);
    const seeding = (args: readonly string[], env: Record<string, string> = {}) =>
      spawnSync(process.execPath, ['examples/blog/seed.mjs', ...args], { cwd: ROOT, env, encoding: 'utf8' });
    const options = ['--login', BOSS.email, '--password', BOSS.password];
    for (const [args, env, address] of [
      [[], { PORT: '2' }, 'http://localhost:2'],
      [['--url', 'http://127.0.0.1:2/'], { PORT: '3' }, 'http://127.0.0.1:2'],
    ] as const) {
      const { status, stderr } = seeding([...options, ...args], env);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `Not seeded: ${address} cannot be reached (ECONNREFUSED). --url gives another address.\n`,
      });
    }
    const help = seeding(['--help']);
    expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('--posts') });
    expect(seeding(['--colour'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Not seeded: .*--colour[^\n]*\n$/),
    });
  });

  it('content.md: every request finds what the page shows', async () => {
    const commands = blocks(readPage('content.md'), 'sh');
    expect(commands.length).toBeGreaterThan(0);
    await run(...commands);
  });

  it('roles.md: its file is one, and the commands do with it what the page says', async () => {
    const page = readPage('roles.md');
    const [text = ''] = blocks(page, 'json');
    const file = join(place.home.directory, 'roles.json');
    writeFileSync(file, text);
    const shown = (await run(...blocks(page, 'sh').map((block) => block.replaceAll('roles.json', file)))).join('\n');
    expect(shown).toContain('4 changes would be made.');
    expect(shown).toContain('4 changes made.');
    expect(shown).toMatch(/Nothing to change\.$/);
  });

  it('schemas.md: each definition from "note" on is taken, renamed without loss, and removed by one request', async () => {
    const page = readPage('schemas.md');
    const definitions = blocks(page, 'json').slice(1);
    expect(definitions.map((text) => JSON.parse(text) as object)).toEqual([
      { schemas: [expect.objectContaining({ name: 'note' }), expect.objectContaining({ name: 'user' })] },
      expect.objectContaining({ name: 'memo', renames: { schema: 'note', fields: { title: 'headline' } } }),
    ]);
    for (const [at, text] of definitions.entries()) {
      const { status } = await service.post('/api/schema', JSON.parse(text), token);
      expect([at, status]).toEqual([at, 201]);
      if (at === 0) await service.post('/api/content/notes', { title: 'kept' }, token);
    }
    const memos = async () => (await service.get('/api/content/memos?select=headline', token)).body;
    expect(await memos()).toMatchObject({ data: { items: [{ headline: 'kept' }] } });
    const removal = blocks(page, 'sh').filter((block) => block.includes('-X DELETE'));
    expect(removal).toHaveLength(1);
    await run(`BASE=${service.url}`, `${removal[0]}echo`);
    expect(await service.get('/api/schema/memo', token)).toMatchObject({ status: 404 });
    const user = async () => JSON.stringify((await service.get('/api/schema/user', token)).body);
    expect(await user()).not.toContain('notes');
    expect(await service.post('/api/schema/undo', undefined, token)).toMatchObject({ status: 200 });
    expect(await user()).toContain('notes');
    expect(await memos()).toMatchObject({ data: { items: [{ headline: 'kept' }] } });
  });
});

describe('docs/social-login.md', () => {
  const place = useServiceHome();

  it('starts with a command that starts a service with these providers', async () => {
    const [{ env } = { env: {} }] = pageParts(readPage('social-login.md'));
    expect(blocks(readPage('social-login.md'), 'console')[0]).toMatch(/^AUTH='[^']*' npm start\n$/);
    const service = await place.home.start({ env });
    expect((await service.get('/api/auth/methods')).body).toMatchObject({ providers: ['google', 'acme'] });
    await service.stop();
  });
});
