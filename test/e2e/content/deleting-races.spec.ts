import { DataSource } from 'typeorm';
import { useDependentRecords } from '../../support/dependent-records.js';

describe('a deletion that races with new references', () => {
  const records = useDependentRecords();
  const { world, make, path, remove, restore } = records;

  it('leaves no post without its author', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const author = await make('author');
      const requests = [
        ...Array.from({ length: 8 }, () => records.root.post('/api/content/post', { title: 'race', author })),
        ...Array.from({ length: 4 }, () => records.root.post('/api/content/post', [{ title: 'race', author }])),
        ...Array.from({ length: 4 }, () => remove('author', author)),
      ];
      const answers = await Promise.all(requests.sort(() => Math.random() - 0.5));
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const [row] = await world.app.sql<{ gone: boolean; posts: number }>(
        `SELECT a.deleted_at IS NOT NULL AS gone, (SELECT count(*)::int FROM posts p WHERE p.author_id = a.id AND p.deleted_at IS NULL) AS posts
         FROM authors a WHERE id = $1`,
        [author],
      );
      expect(row?.gone === true && Number(row.posts) > 0).toBe(false);
      const made = answers.filter(({ status }) => status === 201).length;
      expect(row?.posts).toBe(made);
    }
  });

  it('sees a post that is written or restored while its author is deleted', async () => {
    const author = await make('author');
    const gone = await make('post', { author });
    await remove('post', gone).expect(200);
    const other = await new DataSource(world.app.database.options).initialize();
    try {
      const holder = other.createQueryRunner();
      for (const write of [
        `INSERT INTO posts (id, title, author_id) VALUES (gen_random_uuid(), 'late', $1)`,
        `UPDATE posts SET deleted_at = NULL WHERE author_id = $1`,
      ]) {
        await holder.startTransaction();
        await holder.query('SELECT 1 FROM authors WHERE id = $1 FOR SHARE', [author]);
        await holder.query(write, [author]);
        const waiting = remove('author', author).then((response) => response);
        await blocked(other);
        await holder.commitTransaction();
        expect((await waiting).status).toBe(409);
        await other.query('UPDATE posts SET deleted_at = now() WHERE author_id = $1', [author]);
      }
      await holder.startTransaction();
      await holder.query('SELECT 1 FROM authors WHERE id = $1 FOR UPDATE', [author]);
      await holder.query('UPDATE authors SET deleted_at = now() WHERE id = $1', [author]);
      const late = [
        records.root.post('/api/content/post', { title: 'late', author }),
        restore('post', gone),
        records.root.patch(path('author', author), { posts: { $add: [{ title: 'late' }] } }),
      ].map((request) => request.then((response) => response.status));
      await blocked(other, late.length);
      await holder.commitTransaction();
      expect(await Promise.all(late)).toEqual([400, 400, 404]);
    } finally {
      await other.destroy();
    }
  });

  it('leaves no book without its author', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const author = await make('author');
      await make('book', { author });
      const answers = await Promise.all([
        ...Array.from({ length: 12 }, () => records.root.post('/api/content/book', { title: 'race', author })),
        ...Array.from({ length: 4 }, () => remove('author', author)),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(answers.slice(12).filter(({ status }) => status === 200)).toHaveLength(1);
      const left = 'SELECT 1 FROM books WHERE author_id = $1 AND deleted_at IS NULL';
      expect(await world.app.sql(left, [author])).toEqual([]);
    }
  });

  /** Waits until this number of requests wait for a lock. */
  async function blocked(other: DataSource, count = 1): Promise<void> {
    for (;;) {
      const rows = await other.query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rows.length >= count) return;
    }
  }
});
