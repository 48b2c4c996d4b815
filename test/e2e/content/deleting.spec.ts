import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useDependentRecords } from '../../support/dependent-records.js';
import { relation, schema } from '../../support/schema-definitions.js';

describe('on_delete', () => {
  const records = useDependentRecords();
  const { world, make, path, there, remove, restore } = records;
  const filter = (value: unknown) => `filter=${encodeURIComponent(JSON.stringify(value))}`;

  describe('restrict, the default of a required relation', () => {
    it('keeps a record that active records refer to, and not one that only deleted records refer to', async () => {
      const author = await make('author');
      const post = await make('post', { author });
      const { body } = await remove('author', author).expect(409);
      expect(body.data).toEqual({ error: 'record_in_use' });
      expect(await there('author', author)).toBe(true);
      await remove('post', post).expect(200);
      await remove('author', author).expect(200);
    });

    it('applies to many records, batches, no_action and junction tables', async () => {
      const author = await make('author', { title: 'bulk' });
      const post = await make('post', { author, title: 'bulk' });
      await records.root.delete(`/api/content/author?${filter({ title: 'bulk' })}`).expect(409);
      const one = { op: 'delete', schema: 'author', id: author };
      const other = { op: 'delete', schema: 'post', id: post };
      const { body } = await records.root.post('/api/batch', { operations: [one, other] }).expect(409);
      expect(body.data).toEqual({ error: 'record_in_use', operation: 0 });
      expect([await there('author', author), await there('post', post)]).toEqual([true, true]);
      const remark = await make('remark', { post });
      await remove('post', post).expect(409);
      await remove('remark', remark).expect(200);
      await records.root.post('/api/batch', { operations: [other, one] }).expect(200);
      const award = await make('award');
      const winner = await make('author', { awards: [award] });
      await remove('author', winner).expect(409);
      await remove('award', award).expect(409);
      await records.root.patch(path('author', winner), { awards: [] }).expect(200);
      await remove('award', award).expect(200);
      await remove('author', winner).expect(200);
    });

    it('does not apply inside a tree that is deleted as a whole', async () => {
      const top = await make('node', { title: 'tree' });
      const middle = await make('node', { title: 'tree', parent: top });
      const leaf = await make('node', { title: 'leaf', parent: middle });
      await records.root.delete(`/api/content/node?${filter({ title: 'tree' })}`).expect(409);
      const { body } = await records.root
        .delete(`/api/content/node?${filter({ title: { $in: ['tree', 'leaf'] } })}`)
        .expect(200);
      expect(body.data).toEqual({ count: 3 });
      for (const one of [top, middle, leaf]) expect(await there('node', one)).toBe(false);
    });

    it('prevents the restoration of a record without its target', async () => {
      const author = await make('author');
      const post = await make('post', { author });
      await remove('post', post).expect(200);
      await remove('author', author).expect(200);
      const { body } = await restore('post', post).expect(400);
      expect(body.data).toEqual({
        error: 'reference_not_found',
        errors: [{ field: 'author', code: 'reference_not_found', message: expect.any(String) }],
      });
      expect(await there('post', post)).toBe(false);
      await restore('author', author).expect(200);
      expect(await there('post', post)).toBe(false);
      await restore('post', post).expect(200);
      const { client } = await personWith(world.app, [
        { resource: 'content.post.restore', value: 'allow' },
        { resource: 'content.post.get', value: 'allow', fields: { read: ['id'] } },
      ]);
      await remove('post', post).expect(200);
      await remove('author', author).expect(200);
      const hidden = await client.post(`${path('post', post)}/restore`).expect(400);
      expect(hidden.body.data).toEqual({ error: 'reference_not_found' });
    });

    it('also counts deleted records in a permanent deletion', async () => {
      const press = await make('press');
      const proof = await make('proof', { press });
      await remove('press', press).expect(409);
      await remove('proof', proof).expect(200);
      await remove('press', press).expect(409);
      await restore('proof', proof).expect(200);
    });
  });

  describe('cascade', () => {
    const library = async () => {
      const author = await make('author');
      const book = await make('book', { author });
      const chapter = await make('chapter', { book });
      const portrait = await make('portrait', { author });
      const shelf = await make('shelf', { author });
      return { author, book, chapter, portrait, shelf };
    };

    it('deletes dependent records at every depth, and restores them', async () => {
      const { author, book, chapter, portrait, shelf } = await library();
      const before = await make('book', { author, title: 'went before' });
      await remove('book', before).expect(200);
      await remove('author', author).expect(200);
      for (const [name, id] of [
        ['book', book],
        ['chapter', chapter],
        ['portrait', portrait],
        ['shelf', shelf],
      ] as const)
        expect([name, await there(name, id)]).toEqual([name, false]);
      await restore('chapter', chapter).expect(400);
      await restore('book', book).expect(400);
      await restore('author', author).expect(200);
      for (const [name, id, back] of [
        ['book', book, true],
        ['chapter', chapter, true],
        ['portrait', portrait, true],
        ['book', before, false],
        // The shelf could only be deleted permanently.
        ['shelf', shelf, false],
      ] as const)
        expect([name, await there(name, id)]).toEqual([name, back]);
      await restore('book', before).expect(200);
    });

    it('separates records deleted together from those deleted before, within one millisecond and transaction', async () => {
      const { author, book, chapter } = await library();
      const second = await make('chapter', { book });
      const operations = [
        { op: 'delete', schema: 'chapter', id: second },
        { op: 'delete', schema: 'author', id: author },
      ];
      await records.root.post('/api/batch', { operations }).expect(200);
      await restore('author', author).expect(200);
      expect([await there('chapter', chapter), await there('chapter', second)]).toEqual([true, false]);
    });

    it('stops at a restricting record and deletes nothing', async () => {
      const { author, book, chapter, portrait } = await library();
      const part = await make('part', { chapter });
      await remove('author', author).expect(409);
      for (const [name, id] of [
        ['author', author],
        ['book', book],
        ['chapter', chapter],
        ['portrait', portrait],
      ] as const)
        expect(await there(name, id)).toBe(true);
      await remove('part', part).expect(200);
      await remove('author', author).expect(200);
      await restore('part', part).expect(400);
    });

    it('restores nothing that another parent does not allow', async () => {
      const { author, book } = await library();
      const editor = await make('editor');
      const edited = await make('chapter', { book, editor });
      await remove('author', author).expect(200);
      await remove('editor', editor).expect(200);
      await restore('author', author).expect(200);
      expect([await there('book', book), await there('chapter', edited)]).toEqual([true, false]);
      await restore('chapter', edited).expect(400);
      await restore('editor', editor).expect(200);
      await restore('chapter', edited).expect(200);
    });

    it('needs no permission on the dependent records', async () => {
      const { author, book } = await library();
      const { client } = await personWith(world.app, [{ resource: 'content.author.*', value: 'allow' }]);
      await client.delete(path('author', author)).expect(200);
      expect(await there('book', book)).toBe(false);
      await client.post(`${path('author', author)}/restore`).expect(200);
      expect(await there('book', book)).toBe(true);
      const press = await make('press');
      const print = await make('print', { press });
      await remove('press', press).expect(200);
      await restore('print', print).expect(404);
    });

    it('deletes many records, and refuses to restore if a unique value was taken meanwhile', async () => {
      const author = await make('author', { title: 'many' });
      const book = await make('book', { author, code: 'unique' });
      await make('author', { title: 'many' });
      const { body } = await records.root.delete(`/api/content/author?${filter({ title: 'many' })}`).expect(200);
      expect(body.data).toEqual({ count: 2 });
      expect(await there('book', book)).toBe(false);
      await make('book', { author: await make('author'), code: 'unique' });
      await restore('author', author).expect(409);
      expect(await there('author', author)).toBe(false);
    });
  });

  describe('set_null, the default of an optional relation', () => {
    it('empties the link while the record is deleted', async () => {
      const author = await make('author');
      const draft = await make('draft', { author });
      const shown = async () =>
        (await records.root.get(`${path('draft', draft)}?select=author.id`).expect(200)).body.data;
      await remove('author', author).expect(200);
      expect(await shown()).toEqual({ author: null });
      const empty = `/api/content/draft?${filter({ author: null, id: draft })}`;
      expect((await records.root.get(empty).expect(200)).body.data.total).toBe(1);
      await records.root.patch(path('draft', draft), { title: 'changed' }).expect(200);
      await restore('author', author).expect(200);
      expect(await shown()).toEqual({ author: { id: author } });
      await remove('author', author).expect(200);
      await records.root.patch(path('draft', draft), { author: null }).expect(200);
      await restore('author', author).expect(200);
      expect(await shown()).toEqual({ author: null });
      await remove('draft', draft).expect(200);
      await remove('author', author).expect(200);
      await restore('draft', draft).expect(200);
    });
  });

  it('an account that is deleted by a cascade is handled like a directly deleted one', async () => {
    const company = schema('company', [relation('people', 'user', 'company', 'o2m', { owner: true })]);
    const user = {
      name: 'user',
      fields: [relation('company', 'company', 'people', 'm2o', { on_delete: 'cascade' })],
    };
    await records.root.post('/api/schema', { schemas: [company, user] }).expect(201);
    const { token, person } = await signedIn(world.app);
    const own = await make('company');
    await records.root.patch(path('user', person.id), { company: own }).expect(200);
    await world.app.as(token).get('/api/auth/me').expect(200);
    const { client } = await personWith(world.app, [{ resource: 'content.company.*', value: 'allow' }]);
    const [admin] = await world.app.sql<{ id: string }>(
      `SELECT u.id FROM users u JOIN user_roles j ON j.user_id = u.id JOIN roles r ON r.id = j.role_id WHERE r.root`,
    );
    await records.root.patch(path('user', String(admin?.id)), { company: own }).expect(200);
    await client.delete(path('company', own)).expect(403);
    await remove('company', own).expect(409);
    await world.app.as(token).get('/api/auth/me').expect(200);
    await records.root.patch(path('user', String(admin?.id)), { company: null }).expect(200);
    await client.delete(path('company', own)).expect(200);
    await world.app.as(token).get('/api/auth/me').expect(401);
    expect(await there('user', person.id)).toBe(false);
  });
});
