import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema } from '../../support/schema-definitions.js';
import { PASSWORD } from '../../support/people.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const BLOG = join(__dirname, '../../../examples/blog/schemas');

const post = async (url: string, body: unknown): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
};

describe('the schema commands', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  let service: Service;
  let typesHere: string;
  const put = (directory: string, name: string, content: unknown): string => {
    const path = join(world.home.directory, directory);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, name), JSON.stringify(content));
    return path;
  };

  it('schema:check needs no database, and reports every error with its file', async () => {
    expect(await world.home.json('schema:check', BLOG)).toEqual({
      schemas: expect.arrayContaining(['author', 'post', 'category', 'tag']),
    });
    const bad = put('bad', 'bad.json', { ...schema('bad'), label_field: 'titel', colour: 'red' });
    const { code, stdout, stderr } = await world.home.run(['schema:check', bad]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('bad.json /label_field');
    expect(stderr).toContain('schema.property.unknown');
    const result = await world.home.run(['schema:check', bad, '--json']);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 1, stderr });
    expect(JSON.parse(result.stdout)).toMatchObject({
      error: 'schema_invalid',
      field_errors: [
        { code: 'schema.label_field.not_found', source: 'bad.json', path: '/label_field' },
        { code: 'schema.property.unknown', source: 'bad.json', path: '/colour' },
      ],
      faults: [expect.stringContaining('bad.json'), expect.stringContaining('bad.json')],
    });
    expect((await world.home.run(['schema:check', '--colour'])).code).toBe(2);
    const nowhere = await world.home.run(['schema:check', join(world.home.directory, 'nowhere')]);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('nowhere does not exist') });
    expect(existsSync(world.home.dataDir)).toBe(false);
  });

  it('plan, apply, pull and type beside a service that started with the files', async () => {
    cpSync(BLOG, join(world.home.dataDir, 'schemas'), { recursive: true });
    service = await world.home.start();
    expect(await world.home.json('schema:plan', BLOG)).toMatchObject({ steps: [], version: 1 });

    const more = put('more', 'note.json', schema('note'));
    const { hash } = await world.home.json<{ hash: string }>('schema:plan', more);
    expect((await world.home.run(['schema:apply', more, '--plan', '0'.repeat(64)])).code).toBe(1);
    const applied = await world.home.json('schema:apply', more, '--plan', hash);
    expect(applied).toMatchObject({ version: 2, changed: ['note'] });
    expect((await world.home.run(['schema:apply', more])).stdout).toBe('Nothing to change.\n');

    put('more', 'note.json', { ...schema('note'), label_field: 'name', fields: [{ type: 'string', name: 'name' }] });
    const lossy = await world.home.run(['schema:apply', more]);
    expect(lossy).toMatchObject({ code: 1, stderr: expect.stringContaining('--allow-data-loss') });
    const refused = await world.home.run(['schema:apply', more, '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: 'migration_destructive',
      steps: [{ kind: 'archive_column', field: 'title', rows: 0 }],
    });
    const faulty = put('faulty', 'x.json', { ...schema('x'), label_field: 'nobody' });
    const planned = await world.home.run(['schema:plan', faulty, '--json']);
    expect(planned).toMatchObject({ code: 1, stderr: expect.stringContaining('schema.label_field.not_found') });
    expect(JSON.parse(planned.stdout)).toMatchObject({ error: 'schema_invalid' });
    expect((await world.home.run(['schema:apply', more, '--allow-data-loss'])).code).toBe(0);

    const pulled = join(world.home.directory, 'pulled');
    expect(await world.home.json('schema:pull', pulled)).toMatchObject({
      schemas: ['author', 'category', 'note', 'post', 'tag'],
    });
    expect(JSON.parse(readFileSync(join(pulled, 'note.json'), 'utf8'))).toMatchObject({ label_field: 'name' });
    expect(await world.home.json('schema:plan', pulled)).toMatchObject({ steps: [] });

    const { stdout } = await world.home.run(['schema:types']);
    expect(stdout).toContain('export interface Post {');
    expect(stdout).toContain(`status: "draft" | "published";`);
    expect(stdout).toContain('author?: Author | null;');
    expect(stdout).toContain('tags?: Tag[];');
    expect(stdout).toContain('tags?: Links<string | { id: string }, TagCreate>;');
    typesHere = stdout;
    expect(service.stderr).toBe('');
  });

  it('schema:types uses a remote service, without its data directory, database or configuration', async () => {
    const types = (url: string, ...args: string[]) =>
      world.home.run(['schema:types', '--url', url, ...args], { env: { DATA_DIR: '/dev/null/no', PORT: 'none' } });
    const account = ['--email', 'root@example.com', '--password', PASSWORD];
    expect((await world.home.run(['admin:create', ...account])).code).toBe(0);
    const person = { email: 'ann@example.com', password: PASSWORD };
    await post(`${service.url}/api/auth/local/register`, { ...person, password_confirmation: PASSWORD });
    const tokenOf = async (login: string): Promise<string> =>
      ((await post(`${service.url}/api/auth/local/login`, { login, password: PASSWORD })) as { token: string }).token;
    const [root, ordinary] = [await tokenOf('root@example.com'), await tokenOf(person.email)];
    const answers = await Promise.all([
      types(`${service.url}/`, '--token', root),
      types(service.url),
      types(service.url, '--token', `${root}x`),
      types(service.url, '--token', ordinary),
      types('http://127.0.0.1:2'),
      types('file:///etc/passwd'),
    ]);
    const refused = (text: string) => ({ code: 1, stdout: '', stderr: expect.stringContaining(text) });
    expect(answers).toEqual([
      { code: 0, stdout: typesHere, stderr: '' },
      refused('Use --token'),
      refused('requires authentication'),
      refused('returned 403'),
      refused('ECONNREFUSED'),
      refused('http or https'),
    ]);
    expect(answers[2]!.stderr).not.toContain(root);
  });

  it('schema:advise tests the indexes that lists lacked, and the plan reports them', async () => {
    const login = await post(`${service.url}/api/auth/local/login`, { login: 'root@example.com', password: PASSWORD });
    const headers = { authorization: `Bearer ${(login as { token: string }).token}` };
    const filter = encodeURIComponent(JSON.stringify({ name: 'nobody' }));
    expect((await fetch(`${service.url}/api/content/note?filter=${filter}&count=none`, { headers })).status).toBe(200);
    // Statistics are written once a minute, and when the service stops.
    expect((await service.stop()).code).toBe(0);
    const missed = { schema: 'note', columns: ['name', 'id'], seen: 1, mean_ms: expect.any(Number) };
    expect(await world.home.json('schema:advise')).toEqual({
      advice: [{ ...missed, advised: false, trial: expect.objectContaining({ sampled: 0 }) }],
    });
    expect((await world.home.run(['schema:advise', 'note', '--sample', '1000'])).stdout).toContain('skip  note');
    expect((await world.home.run(['schema:advise', 'tag'])).stdout).toBe('No observed list request lacks an index.\n');
    expect((await world.home.run(['schema:advise', '--sample', 'all'])).code).toBe(2);
    expect(await world.home.run(['schema:advise', 'nobody'])).toMatchObject({ code: 1, stdout: '' });
    const touched = put('touched', 'note.json', {
      ...schema('note'),
      label_field: 'name',
      fields: [{ type: 'string', name: 'name', label: 'Name' }],
    });
    expect(await world.home.json('schema:plan', touched)).toMatchObject({ missed_indexes: [missed] });
    expect((await world.home.run(['schema:plan', touched])).stdout).toContain('note has no index on name, id');
  });

  it('a service with invalid files exits with code 1 and the list of errors', async () => {
    put('data/schemas', 'bad.json', { ...schema('bad'), label_field: 'titel' });
    const service = world.home.spawn();
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toMatch(/^The schema files in .* cannot be applied:\n {2}- bad\.json \/label_field: /);
  });
});
