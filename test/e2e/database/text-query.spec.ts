import { DataSource } from 'typeorm';
import { runTextQuery } from '../../../src/platform/database/text-query.js';
import { useTestApp } from '../../support/test-app.js';

describe('a statement with a text result', () => {
  const world = useTestApp();
  const run = (text: string, parameters: readonly unknown[] = [], name = '') =>
    runTextQuery(world.app.get(DataSource), { name, text }, parameters);

  it('returns every column as PostgreSQL writes it, in order', async () => {
    expect(await run(`SELECT 'a', 1, NULL, true, '{"b":1}'::json UNION ALL SELECT 'z', 2, 'x', false, 'null'`)).toEqual(
      [
        ['a', '1', null, 't', '{"b":1}'],
        ['z', '2', 'x', 'f', 'null'],
      ],
    );
    expect(await run('SELECT 1 WHERE false')).toEqual([]);
  });

  it('accepts parameters of every type', async () => {
    const hard = ['', '"', '\\', '{}', ',', 'NULL', 'null', '\n', "'", 'ü😀', ' a '];
    const [row] = await run('SELECT to_json($1::text[])::text, $2::int, $3::bool, $4::text, $5::bigint, $6::bytea', [
      [...hard, null],
      7,
      false,
      null,
      2n ** 60n,
      Buffer.from([0, 1, 255]),
    ]);
    expect(JSON.parse(row?.[0] ?? '')).toEqual([...hard, null]);
    expect(row?.slice(1)).toEqual(['7', 'f', null, '1152921504606846976', String.raw`\x0001ff`]);
    expect(await run('SELECT $1::bigint[]', [[]])).toEqual([['{}']]);
  });

  it('is prepared once per connection under its name, and not without a name', async () => {
    const text = 'SELECT $1::int + 1';
    for (let turn = 0; turn < 30; turn += 1) expect(await run(text, [turn], 'plus-one')).toEqual([[String(turn + 1)]]);
    const kept = await run('SELECT name FROM pg_prepared_statements WHERE statement = $1', [text]);
    expect(kept.length).toBeLessThanOrEqual(1);
    expect(await run(text, [1])).toEqual([['2']]);
  });

  it('replaces an earlier statement of the same name on the connection', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `SELECT $1::int + ${at}`);
    for (let turn = 0; turn < 3; turn += 1)
      for (const [at, text] of texts.entries()) expect(await run(text, [1], 'shared')).toEqual([[String(1 + at)]]);
    const both = await Promise.all(
      Array.from({ length: 60 }, (_, at) => run(texts[at % 20] ?? '', [1], `shared-${at % 2}`)),
    );
    expect(both.map(([row]) => Number(row?.[0]))).toEqual(Array.from({ length: 60 }, (_, at) => 1 + (at % 20)));
    const prepared = await run("SELECT name FROM pg_prepared_statements WHERE name LIKE 'shared%'");
    expect(prepared.length).toBeLessThanOrEqual(3);
  });

  it('is parsed again if the server has lost it or could not parse it', async () => {
    const text = 'SELECT $1::int * 3';
    for (let turn = 0; turn < 15; turn += 1) await run(text, [1], 'tripled');
    for (let turn = 0; turn < 15; turn += 1) await run('DEALLOCATE ALL');
    const answers = [];
    for (let turn = 0; turn < 30; turn += 1) answers.push(await run(text, [2], 'tripled').catch(() => 'failed'));
    expect(answers.slice(-15)).toEqual(Array.from({ length: 15 }, () => [['6']]));
    await expect(run('SELECT nothing FROM nowhere', [], 'tripled')).rejects.toMatchObject({ code: '42P01' });
    for (let turn = 0; turn < 15; turn += 1) expect(await run(text, [3], 'tripled')).toEqual([['9']]);
  });

  it('reports the failure, and keeps the connection usable', async () => {
    for (let turn = 0; turn < 15; turn += 1) {
      await expect(run('SELECT 1 / $1::int', [0], 'divided')).rejects.toMatchObject({ code: '22012' });
      await expect(run('SELECT nothing FROM nowhere', [], `broken-${turn}`)).rejects.toMatchObject({ code: '42P01' });
      await expect(run('SELECT $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
      await expect(run('SELECT $1', [{ some: 'object' }])).rejects.toThrow(TypeError);
      await expect(run('SELECT $1', [[Buffer.from('x')]])).rejects.toThrow(TypeError);
    }
    const all = await Promise.all(Array.from({ length: 40 }, (_, at) => run('SELECT $1::int', [at], 'same')));
    expect(all.map(([row]) => Number(row?.[0]))).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });

  it('is rejected when its connection ends', async () => {
    const slow = run('SELECT pg_sleep(20), $1::text', ['doomed query']);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20), $1%' AND pid <> pg_backend_pid()`;
    const ended = slow.then(
      () => 'answered',
      () => 'failed',
    );
    for (let count = 0; count === 0;) count = (await world.app.sql(end)).length;
    expect(await ended).toBe('failed');
    expect(await run('SELECT 1')).toEqual([['1']]);
  });
});
