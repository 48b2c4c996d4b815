import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const POST = {
  name: 'post',
  namespace: 'posts',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title', unique: true },
    { type: 'int64', name: 'big', optional: true },
    { type: 'text', name: 'body', optional: true },
  ],
};

describe('records:import and records:export', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  const file = (name: string, text: string | Buffer): string => {
    writeFileSync(join(world.home.directory, name), text);
    return name;
  };
  const read = (name: string): Buffer => readFileSync(join(world.home.directory, name));

  const empty = async (): Promise<void> => {
    const client = new Client({ connectionString: world.home.env['DATABASE_URL'] });
    await client.connect();
    await client.query('DELETE FROM posts');
    await client.end();
  };

  beforeAll(async () => {
    mkdirSync(join(world.home.directory, 'schemas'));
    file('schemas/post.json', JSON.stringify(POST));
    expect(await world.home.run(['schema:apply', 'schemas'])).toMatchObject({ code: 0 });
  });

  it('report every error by its row, and write nothing', async () => {
    const name = file('bad.csv', 'title,big,more\na,1,\na,x,\n,2,\n');
    const { code, stdout } = await world.home.run(['records:import', 'posts', name]);
    expect(code).toBe(1);
    for (const line of [
      /^1 +more +unknown_field/m,
      /^3 +big +value_invalid/m,
      /^4 +title +value_invalid/m,
      /^3 errors in 3 records\. No record was written\.$/m,
    ])
      expect(stdout).toMatch(line);
    const result = await world.home.run(['records:import', 'posts', name, '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({
      total: 3,
      rows: 3,
      errors: [{ row: 1, field: 'more' }, { row: 3 }, { row: 4 }],
    });
    expect((await world.home.run(['records:export', 'post'])).stdout.split('\r\n').slice(1)).toEqual(['']);
  });

  it('import and export records unchanged, by the file extension, compressed or not', async () => {
    const lines = Array.from({ length: 1_500 }, (_, at) =>
      JSON.stringify({ title: `${at}`, big: '9007199254740993', body: at % 2 === 0 ? null : '=1' }),
    );
    const name = file('posts.jsonl.gz', gzipSync(lines.join('\n')));
    expect((await world.home.run(['records:import', 'post', name, '--dry-run'])).stdout).toContain(
      '1500 records could be created; nothing was written.',
    );
    expect((await world.home.run(['records:import', 'post', name])).stdout).toContain('1500 records were created.');
    for (const to of ['all.csv.gz', 'all.ndjson', 'all.json']) {
      expect(await world.home.run(['records:export', 'posts', to, '--sort', 'title'])).toMatchObject({
        code: 0,
        stdout: '',
      });
      await empty();
      expect((await world.home.run(['records:import', 'posts', to, '--keep'])).stdout).toContain(
        '1500 records were created.',
      );
      await world.home.run(['records:export', 'posts', `again-${to}`, '--sort', 'title']);
      expect(read(`again-${to}`).equals(read(to))).toBe(true);
    }
    const [, first] = gunzipSync(read('all.csv.gz')).toString().split('\r\n');
    expect(first).toContain(',0,9007199254740993,,');
  });

  it('change existing records by a key', async () => {
    const name = file('over.csv', 'title,body\n1,changed\n');
    expect(
      (await world.home.run(['records:import', 'posts', name, '--mode', 'upsert', '--key', 'title'])).stdout,
    ).toContain('1 record was written, including 1 updates.');
    expect(
      (await world.home.run(['records:export', 'posts', '--filter', '{"title":"1"}', '--select', 'body'])).stdout,
    ).toBe('body\r\nchanged\r\n');
  });

  it.each<[number, string[], RegExp]>([
    [1, ['records:export', 'nothing'], /Schema not found|does not exist/i],
    [1, ['records:export', 'posts', '--filter', '{'], /filter is not well-formed/],
    [1, ['records:import', 'posts', 'nowhere.csv'], /nowhere\.csv cannot be read \(ENOENT\)/],
    [1, ['records:import', 'posts', '.'], /\. is not a file/],
    [2, ['records:import', 'posts', 'bad.csv', '--format', 'xlsx'], /must be one of csv, ndjson, json/],
    [1, ['records:export', 'posts', 'no/where.csv'], /cannot be written \(ENOENT\)/],
  ])('exit with code %i and one message: %j', async (expected, args, sentence) => {
    const { code, stdout, stderr } = await world.home.run(args);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(sentence);
  });
});
