import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileCheck } from '../../../src/features/files/file-check.service.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { GIF, known, makeGallery, PNG, send, stored, sweep } from '../../support/file-fixture.js';
import { useTestApp } from '../../support/test-app.js';

describe('files:check', () => {
  const world = useTestApp();
  let token: string;

  beforeAll(async () => {
    ({ token } = await makeGallery(world.app));
  });

  const check = (reads = false) => world.app.get(FileCheck).run({ reads });
  const upload = async (body = PNG) => (await send(world.app, body, { token })).data.id;
  const objectOf = async (file: string): Promise<string> => {
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM file_objects WHERE file_id = $1', [file]);
    return row!.id;
  };
  const pathOf = (key: string) => join(world.app.config.dataDir, 'files', key.slice(-2), key.slice(-4, -2), key);

  afterEach(async () => {
    await world.app.sql(`UPDATE file_objects SET state = 'doomed', due_at = '2000-01-01'`);
    await world.app.sql('DELETE FROM files');
    await sweep(world.app);
    for (const name of readdirSync(join(world.app.config.dataDir, 'files')))
      rmSync(join(world.app.config.dataDir, 'files', name), { recursive: true });
    expect([stored(world.app), await known(world.app, 'doomed')]).toEqual([[], []]);
  });

  it('reports nothing for a consistent storage: with live and replaced files and a running upload', async () => {
    const file = await upload();
    await upload();
    await send(world.app, GIF, { token, method: 'PUT', path: `/api/files/${file}` });
    await world.app.sql(
      `INSERT INTO file_objects (id, file_id, disk, state, size, created_at, due_at) VALUES ($1, $1, 'local', 'pending', 0, now(), now())`,
      [newId()],
    );
    for (const reads of [false, true]) expect(await check(reads)).toEqual({ objects: 3, rows: 2, faults: [] });
  });

  it('reports an object without a row, complete or partial, and keeps it', async () => {
    const [whole, part] = [newId(), newId()];
    for (const path of [pathOf(whole), `${pathOf(part)}.part`]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'abc');
    }
    const { objects, faults } = await check();
    expect([objects, faults.map(({ fault }) => fault)]).toEqual([2, ['object_without_row', 'object_without_row']]);
    expect(new Set(faults.map(({ id }) => id))).toEqual(new Set([whole, part]));
    expect(stored(world.app).length).toBe(2);
  });

  it('reports a row without its object, one with other bytes, and a file without either', async () => {
    const [gone, short, other, bare] = [await upload(), await upload(), await upload(), await upload()];
    rmSync(pathOf(await objectOf(gone)));
    writeFileSync(pathOf(await objectOf(short)), 'x');
    writeFileSync(pathOf(await objectOf(other)), Buffer.alloc(PNG.length));
    await world.app.sql(`UPDATE file_objects SET state = 'doomed' WHERE file_id = $1`, [bare]);
    const expected = [
      { fault: 'row_without_object', id: await objectOf(gone) },
      { fault: 'size_differs', id: await objectOf(short) },
      { fault: 'file_without_object', id: bare },
    ];
    expect((await check()).faults).toMatchObject(expected);
    const read = [...expected.slice(0, 2), { fault: 'sha256_differs', id: await objectOf(other) }, expected[2]];
    expect((await check(true)).faults).toMatchObject(read);
  });

  it('ignores files that are created and deleted during the check', async () => {
    const busy = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 6; round += 1) {
        const file = await upload();
        await send(world.app, GIF, { token, method: 'PUT', path: `/api/files/${file}` });
        await world.app.sql(`UPDATE file_objects SET due_at = '2000-01-01' WHERE state = 'doomed'`);
        await sweep(world.app);
      }
    });
    const reports = await Promise.all([check(true), check(), check(true), check()]);
    await Promise.all(busy);
    for (const { faults } of [...reports, await check(true)]) expect(faults).toEqual([]);
  });
});
