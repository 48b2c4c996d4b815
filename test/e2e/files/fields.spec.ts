import { author, GIF, known, makeGallery, PNG, send, stored } from '../../support/file-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import type { TestClient } from '../../support/test-client.js';
import { useTestApp } from '../../support/test-app.js';

const TEXT = 'some words';

describe('a file field', () => {
  const world = useTestApp();
  let root: TestClient;
  let token: string;

  beforeAll(async () => {
    ({ root, token } = await makeGallery(world.app));
    const pictures = { types: ['image/*'], max_size: 70 };
    const sheet = schema('sheet', [
      field('file', 'face', { optional: true, file: pictures }),
      field('file', 'pages', { optional: true, multiple: true, file: pictures }),
      field('file', 'sized', {
        optional: true,
        file: { sizes: { thumb: { width: 8, fit: 'inside' }, 'card-2': { width: 9, height: 4_096, fit: 'cover' } } },
      }),
      field('file', 'exact', { optional: true, file: { types: ['text/plain', 'image/gif'] } }),
      field('file', 'any', { optional: true }),
    ]);
    await root.post('/api/schema', sheet).expect(201);
  });

  const make = async (body: object, by = root): Promise<string> =>
    ((await by.post('/api/content/sheets', { title: 'x', ...body }).expect(201)).body as { data: { id: string } }).data
      .id;
  const upload = async (body: Buffer | string, type: string, query = '') =>
    send(world.app, body, { token, type, query });
  const faultOf = ({ status, body }: { status: number; body: unknown }) => {
    const { data } = body as { data: { errors?: { field: string; code: string }[] } };
    return [status, ...(data.errors ?? []).map(({ field: at, code }) => `${at}: ${code}`)];
  };

  it('is returned as it was defined', async () => {
    const { body } = await root.get('/api/schema/sheet').expect(200);
    const { fields } = (body as { data: { fields: { name: string; file?: object }[] } }).data;
    expect(fields.find(({ name }) => name === 'face')?.file).toEqual({ types: ['image/*'], max_size: 70 });
    expect(fields.find(({ name }) => name === 'sized')?.file).toEqual({
      sizes: { thumb: { width: 8 }, 'card-2': { width: 9, height: 4_096, fit: 'cover' } },
    });
    expect(fields.find(({ name }) => name === 'any')).not.toHaveProperty('file');
  });

  it.each([
    [{ types: [] }, 'field.file.invalid'],
    [{ types: ['image'] }, 'field.file.invalid'],
    [{ types: ['*/*'] }, 'field.file.invalid'],
    [{ types: [7] }, 'field.file.invalid'],
    [{ types: 'image/*' }, 'field.property.invalid'],
    [{ max_size: 0 }, 'field.file.invalid'],
    [{ max_size: 1.5 }, 'field.file.invalid'],
    [{ quota: 0 }, 'field.file.invalid'],
    [{ quota: 1.5 }, 'field.file.invalid'],
    [{ quota: '7' }, 'field.property.invalid'],
    [{ maxsize: 1 }, 'field.property.unknown'],
    [{ sizes: 'thumb' }, 'field.property.invalid'],
    [{ sizes: {} }, 'field.file.invalid'],
    [{ sizes: { Thumb: { width: 1 } } }, 'field.file.invalid'],
    [{ sizes: { ['x'.repeat(33)]: { width: 1 } } }, 'field.file.invalid'],
    [{ sizes: { thumb: 7 } }, 'field.file.invalid'],
    [{ sizes: { thumb: null } }, 'field.file.invalid'],
    [{ sizes: { thumb: {} } }, 'field.file.invalid'],
    [{ sizes: { thumb: { fit: 'cover' } } }, 'field.file.invalid'],
    [{ sizes: { thumb: { width: 0 } } }, 'field.file.invalid'],
    [{ sizes: { thumb: { width: 4_097 } } }, 'field.file.invalid'],
    [{ sizes: { thumb: { width: 1.5 } } }, 'field.file.invalid'],
    [{ sizes: { thumb: { width: '8' } } }, 'field.file.invalid'],
    [{ sizes: { thumb: { width: 8, fit: 'fill' } } }, 'field.file.invalid'],
    [{ sizes: { thumb: { width: 8, quality: 9 } } }, 'field.file.invalid'],
    [
      { sizes: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`s${at}`, { width: 8 }])) },
      'field.file.invalid',
    ],
  ])('is rejected with file %j', async (file, code) => {
    const answer = await root.post('/api/schema/validate', schema('leaf', [field('file', 'face', { file })]));
    const { field_errors } = (answer.body as { data: { field_errors: { error: string; code: string }[] } }).data;
    expect(JSON.stringify(field_errors)).toContain(code);
  });

  it.each([
    ['another type', TEXT, 'text/plain', 422, 'file_type_not_allowed'],
    ['more bytes', Buffer.concat([PNG, Buffer.alloc(10)]), 'image/png', 413, 'file_too_large'],
  ])('rejects an upload of %s, and leaves nothing', async (_what, bytes, type, status, error) => {
    const before = stored(world.app);
    for (const name of ['face', 'pages']) {
      const query = `?schema=sheet&record=${await make({})}&field=${name}`;
      expect(await upload(bytes, type, query)).toMatchObject({ status, error });
    }
    expect([stored(world.app), await known(world.app, 'pending')]).toEqual([before, []]);
  });

  it('accepts its types up to its size', async () => {
    for (const [name, bytes, type] of [
      ['face', PNG, 'image/png'],
      ['pages', GIF, 'image/gif'],
      ['exact', GIF, 'image/gif'],
      ['exact', TEXT, 'text/plain'],
      ['any', TEXT, 'text/plain'],
    ] as const) {
      const query = `?schema=sheet&record=${await make({})}&field=${name}`;
      expect((await upload(bytes, type, query)).status).toBe(201);
    }
  });

  it('cannot be linked to other files, by any way of writing and any caller', async () => {
    const text = (await upload(TEXT, 'text/plain')).data.id;
    const picture = (await upload(PNG, 'image/png')).data.id;
    const wrong = [{ face: text }, { face: { id: text } }, { pages: [picture, text] }, { exact: picture }];
    for (const body of wrong) {
      const record = { title: 'x', ...body };
      const id = await make({});
      const filter = encodeURIComponent(JSON.stringify({ id }));
      const code = `${Object.keys(body)[0]}: file_not_allowed`;
      expect(faultOf(await root.post('/api/content/sheets', record))).toEqual([400, code]);
      expect(faultOf(await root.patch(`/api/content/sheets/${id}`, body))).toEqual([400, code]);
      expect(faultOf(await root.put(`/api/content/sheets/${id}`, record))).toEqual([400, code]);
      expect((await root.patch(`/api/content/sheets?filter=${filter}`, body)).status).toBe(400);
      expect((await root.post('/api/content/sheets', [record, record])).status).toBe(400);
      const operations = [{ op: 'create', schema: 'sheet', data: record }];
      expect((await root.post('/api/batch', { operations })).status).toBe(400);
    }
    const add = await root.patch(`/api/content/sheets/${await make({})}`, { pages: { $add: [text] } });
    expect(faultOf(add)).toEqual([400, 'pages: file_not_allowed']);
  });

  it('keeps earlier links after its types were restricted, and allows their removal', async () => {
    const file = (await upload(TEXT, 'text/plain')).data.id;
    const note = (rules: object) =>
      schema('note', [
        field('file', 'paper', { optional: true, ...rules }),
        field('file', 'more', { optional: true, multiple: true, ...rules }),
      ]);
    await root.post('/api/schema', note({})).expect(201);
    const body = { title: 'x', paper: file, more: [file] };
    const made = await root.post('/api/content/notes', body).expect(201);
    const { id } = (made.body as { data: { id: string } }).data;
    await root.put('/api/schema/note', note({ file: { types: ['image/*'] } })).expect(200);
    await root.patch(`/api/content/notes/${id}`, { title: 'y', paper: file, more: [file] }).expect(200);
    await root.patch(`/api/content/notes/${id}`, { paper: null, more: { $remove: [file] } }).expect(200);
    expect((await root.patch(`/api/content/notes/${id}`, { paper: file })).status).toBe(400);
  });

  it('cannot get other bytes of a linked file either', async () => {
    const { data } = await upload(PNG, 'image/png', `?schema=sheet&record=${await make({})}&field=face`);
    const put = (body: Buffer | string, type: string) =>
      send(world.app, body, { token, type, method: 'PUT', path: `/api/files/${data.id}` });
    expect(await put(TEXT, 'text/plain')).toMatchObject({ status: 422, error: 'file_type_not_allowed' });
    expect(await put(Buffer.concat([PNG, PNG]), 'image/png')).toMatchObject({ status: 413, error: 'file_too_large' });
    expect((await put(GIF, 'image/gif')).status).toBe(200);
    const loose = (await upload(PNG, 'image/png')).data.id;
    expect(
      (await send(world.app, TEXT, { token, type: 'text/plain', method: 'PUT', path: `/api/files/${loose}` })).status,
    ).toBe(200);
  });

  it('is linked to no invalid file by sixteen concurrent writes during a replacement', async () => {
    const { client } = await author(world.app);
    expect(client).toBeDefined();
    for (let round = 0; round < 3; round += 1) {
      const { data } = await upload(PNG, 'image/png');
      const ids = await Promise.all(Array.from({ length: 15 }, () => make({})));
      const path = `/api/files/${data.id}`;
      const [replaced, ...links] = await Promise.all([
        send(world.app, TEXT, { token, type: 'text/plain', method: 'PUT', path }),
        ...ids.map((id) => root.patch(`/api/content/sheets/${id}`, { face: data.id })),
      ]);
      const isText = replaced.status === 200;
      const linked = links.filter(({ status }) => status === 200).length;
      expect(isText && linked > 0).toBe(false);
    }
  });
});
