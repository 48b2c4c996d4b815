import { signedIn } from './people.js';
import { field, relation, schema } from './schema-definitions.js';
import { type TestApp, useTestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

type Json = Record<string, unknown>;

const required = (name: string, target: string, back: string, more: Json = {}) => ({
  ...relation(name, target, back, 'm2o', more),
  optional: false,
});
const list = (name: string, target: string, back: string) => relation(name, target, back, 'o2m', { owner: true });
const forGood = { disable_timestamp: true };

/** Every `on_delete` action, between soft-deleted and permanently deleted records. */
const SCHEMAS = [
  schema('author', [
    list('posts', 'post', 'author'),
    list('drafts', 'draft', 'author'),
    list('books', 'book', 'author'),
    list('shelves', 'shelf', 'author'),
    relation('awards', 'award', 'authors', 'm2m', { owner: true, on_delete: 'restrict' }),
    relation('portrait', 'portrait', 'author', 'o2o', { owner: true }),
  ]),
  schema('post', [required('author', 'author', 'posts'), list('remarks', 'remark', 'post')]),
  schema('draft', [relation('author', 'author', 'drafts', 'm2o')]),
  schema('book', [
    required('author', 'author', 'books', { on_delete: 'cascade' }),
    list('chapters', 'chapter', 'book'),
    field('string', 'code', { optional: true, unique: true }),
  ]),
  schema('chapter', [
    required('book', 'book', 'chapters', { on_delete: 'cascade' }),
    relation('editor', 'editor', 'chapters', 'm2o', { on_delete: 'cascade' }),
    list('parts', 'part', 'chapter'),
  ]),
  schema('part', [required('chapter', 'chapter', 'parts')]),
  schema('editor', [list('chapters', 'chapter', 'editor')]),
  schema('shelf', [required('author', 'author', 'shelves', { on_delete: 'cascade' })], forGood),
  schema('portrait', [relation('author', 'author', 'portrait', 'o2o', { on_delete: 'cascade' })]),
  schema('award', [relation('authors', 'author', 'awards', 'm2m')]),
  schema('remark', [relation('post', 'post', 'remarks', 'm2o', { on_delete: 'no_action' })]),
  schema('node', [
    relation('parent', 'node', 'children', 'm2o', { on_delete: 'restrict' }),
    list('children', 'node', 'parent'),
  ]),
  schema('press', [list('prints', 'print', 'press'), list('proofs', 'proof', 'press')], forGood),
  schema('print', [required('press', 'press', 'prints', { on_delete: 'cascade' })]),
  schema('proof', [required('press', 'press', 'proofs')]),
];

class DependentRecords {
  private constructor(readonly root: TestClient) {}

  static async make(app: TestApp): Promise<DependentRecords> {
    const root = app.as((await signedIn(app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: SCHEMAS }).expect(201);
    return new DependentRecords(root);
  }

  async make(name: string, body: Json = {}): Promise<string> {
    const { body: answer } = await this.root.post(`/api/content/${name}`, { title: name, ...body }).expect(201);
    return answer.data.id as string;
  }

  path(name: string, id: string): string {
    return `/api/content/${name}/${id}`;
  }

  async there(name: string, id: string): Promise<boolean> {
    return (await this.root.get(this.path(name, id))).status === 200;
  }

  remove(name: string, id: string) {
    return this.root.delete(this.path(name, id));
  }

  restore(name: string, id: string) {
    return this.root.post(`${this.path(name, id)}/restore`);
  }
}

/** Returns an application with these records, for a whole test file. The functions can be destructured. */
export function useDependentRecords() {
  const world = useTestApp();
  let records: DependentRecords;
  beforeAll(async () => {
    records = await DependentRecords.make(world.app);
  });
  return {
    world,
    get root(): TestClient {
      return records.root;
    },
    make: (name: string, body?: Json) => records.make(name, body),
    path: (name: string, id: string) => records.path(name, id),
    there: (name: string, id: string) => records.there(name, id),
    remove: (name: string, id: string) => records.remove(name, id),
    restore: (name: string, id: string) => records.restore(name, id),
  };
}
