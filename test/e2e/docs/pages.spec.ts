import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, makeConsumer } from '../../support/own-application.js';
import { signIn } from '../../support/service-users.js';
import { builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { codeBlocks, isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '../../..');
const BOSS = { email: 'you@example.com', password: 'sturdy walnut 47' };
/** In a clone, `npm run cli -- …` builds first. Here the product is already built. */
const NPM = `npm() { shift 3; node '${builtProduct()}/cli.js' "$@"; }`;

/** Uses the modules of the pages about records. */
const PROGRAM = `import { load, save } from './form.mjs';
import { listPosts } from './list.mjs';
const [, , base, token] = process.argv;
const first = await listPosts('food');
const second = await listPosts('food', first.next_cursor);
const answer = await fetch(base + '/api/content/posts?select=id&limit=1');
const path = 'posts/' + (await answer.json()).data.items[0].id;
const { etag } = await load(path, token);
const saved = await save(path, { title: 'Changed' }, etag, token);
const conflict = await save(path, { title: 'Too late' }, etag, token);
const invalid = await save(path, { title: 7 }, saved.etag, token);
console.log(JSON.stringify({
  first: Object.keys(first.items[0]).sort(),
  isNext: second.items.length > 0 && second.items[0].title !== first.items[0].title,
  title: saved.record.title,
  conflict: [conflict.error, conflict.errors],
  invalid: [invalid.error, invalid.errors.map(({ field }) => field)],
}));
`;

describe('the commands of README and docs/guides/data', () => {
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

  it('create the blog while the service is running', async () => {
    const [text = ''] = codeBlocks(readme, 'sh').filter((block) => block.includes('schema:apply'));
    expect(text).not.toBe('');
    service = await place.home.start({ env: { RATE_LIMIT_ENABLED: 'false' } });
    await run(text);
    token = await signIn(service, BOSS);
  });

  it('seed.mjs fills the service at PORT, and names an unreachable address', async () => {
    const [text = ''] = codeBlocks(readme, 'sh').filter((block) => block.includes('seed.mjs'));
    const [seed = '', list = ''] = text.split('\n');
    expect(await run(`${seed} --posts 500`, `${list}; echo`)).toEqual([
      '500 of 500 posts exist.',
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
        stderr: `Seeding failed: ${address} cannot be reached (ECONNREFUSED). Use --url for another address.\n`,
      });
    }
    const help = seeding(['--help']);
    expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('--posts') });
    expect(seeding(['--colour'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Seeding failed: .*--colour[^\n]*\n$/),
    });
  });

  it('records: every request returns what the pages show', async () => {
    const pages = ['reading-records', 'import-export', 'writing-records', 'bulk-changes'];
    const commands = codeBlocks(readPage(...pages.map((name) => `guides/data/${name}.md`)), 'sh');
    expect(commands.length).toBeGreaterThan(0);
    await run(...commands);
  });

  it('the modules of reading-records.md and writing-records.md list, save and report conflicts and invalid fields', () => {
    const text = readPage('guides/data/reading-records.md', 'guides/data/writing-records.md');
    for (const [, name = '', module = ''] of text.matchAll(/^```js\n\/\/ (\w+)\.js\n(.*?)^```$/gms))
      writeFileSync(join(place.home.directory, `${name}.mjs`), module.replaceAll('http://localhost:8000', service.url));
    const program = join(place.home.directory, 'program.mjs');
    writeFileSync(program, PROGRAM);
    const { stdout, stderr } = spawnSync(process.execPath, [program, service.url, token], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      first: ['category', 'published_at', 'title'],
      isNext: true,
      title: 'Changed',
      conflict: ['record_changed', []],
      invalid: ['field_invalid', ['title']],
    });
  });

  it('typescript-types.md: its module compiles with the types of the blog', async () => {
    const page = readPage('guides/data/typescript-types.md');
    const [module = ''] = codeBlocks(page, 'ts');
    const [command = ''] = codeBlocks(page, 'console');
    makeConsumer(place.home.directory, { 'src/posts.ts': module });
    const [base = '', , generate = ''] = command.split('\n');
    await run(base, generate.replace('src/api.ts', join(place.home.directory, 'src/api.ts')));
    expect(compile(place.home.directory, ['src/posts.ts'])).toEqual([]);
  });

  it('roles.md: its file is valid, and the commands behave as documented', async () => {
    const page = readPage('guides/data/roles.md');
    const [text = ''] = codeBlocks(page, 'json');
    const file = join(place.home.directory, 'roles.json');
    writeFileSync(file, text);
    const shown = (await run(...codeBlocks(page, 'sh').map((block) => block.replaceAll('roles.json', file)))).join(
      '\n',
    );
    expect(shown).toContain('4 changes would be applied.');
    expect(shown).toContain('4 changes applied.');
    expect(shown).toMatch(/Nothing to change\.$/);
  });

  it('schemas.md: each definition from "note" on is accepted, renamed without loss, and removed by one request', async () => {
    const page = readPage('guides/data/schemas.md', 'guides/data/schema-changes.md');
    const definitions = codeBlocks(page, 'json').slice(1);
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
    const removal = codeBlocks(page, 'sh').filter((block) => block.includes('-X DELETE'));
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

describe('the application of README.md', () => {
  const place = useServiceHome();

  it('compiles', () => {
    const [text = ''] = codeBlocks(readFileSync(join(ROOT, 'README.md'), 'utf8'), 'ts');
    makeConsumer(place.home.directory, { 'src/main.ts': text });
    expect(compile(place.home.directory, ['src/main.ts'])).toEqual([]);
  });
});

describe('docs/guides/sign-in/social-login.md', () => {
  const place = useServiceHome();

  it('start a service with these providers by one command', async () => {
    const [{ env } = { env: {} }] = pageParts(readPage('guides/sign-in/social-login.md'));
    expect(codeBlocks(readPage('guides/sign-in/social-login.md'), 'console')[0]).toMatch(/^AUTH='[^']*' npm start\n$/);
    const service = await place.home.start({ env });
    expect((await service.get('/api/auth/methods')).body).toMatchObject({ providers: ['google', 'acme'] });
    await service.stop();
  });
});
