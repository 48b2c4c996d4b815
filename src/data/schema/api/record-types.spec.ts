import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { magazine } from '../../../../test/support/content-fixture.js';
import {
  applied,
  blog,
  field,
  relation,
  schema,
  snapshotOf,
  SYSTEM,
} from '../../../../test/support/schema-definitions.js';
import { errorCodes } from '../../../kernel/errors/error-catalogue.js';
import { initialSnapshot } from '../change/prepare-change.js';
import { recordTypes } from './record-types.js';

const WORLD = [...blog(), schema('my_thing', [field('json', 'data'), field('bool', 'open')])];

const MAGAZINE = applied(initialSnapshot(SYSTEM), { put: [{ json: magazine() }], backRefs: 'create' }).snapshot;

/** Compiles a sample with the generated types under `strict`, and returns the diagnostics. */
function complaints(types: string, sample: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-types-'));
  try {
    writeFileSync(join(directory, 'api.ts'), types);
    writeFileSync(join(directory, 'sample.ts'), sample);
    const program = ts.createProgram([join(directory, 'api.ts'), join(directory, 'sample.ts')], {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      // Skips only the files of the compiler: the generated types are not a declaration file.
      skipLibCheck: true,
      lib: ['lib.es2022.d.ts'],
      types: [],
    });
    return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 160)}`;
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('TypeScript types of the API', () => {
  const text = recordTypes(snapshotOf(WORLD));

  test('name every schema, and the types of its fields', () => {
    expect(text).toContain(
      'export interface MyThing {\n  id: string;\n  title: string;\n  data: JsonValue;\n  open: boolean;',
    );
    expect(text).toContain('  status: "draft" | "published";');
    expect(text).toContain('  views: number;');
    expect(text).toContain('  body: string | null;');
    expect(text).toContain('  tags?: Tag[];');
    expect(text).toContain('  author?: Author | null;');
    expect(text).toContain('  my_thing: MyThing;');
  });

  test('contain a password only where it is written', () => {
    expect(text.match(/password\??: /g)).toHaveLength(2);
    expect(text).toMatch(/interface UserCreate \{(?:(?!\n\})[^])*password\?: string/);
    expect(text).toMatch(/interface UserUpdate \{(?:(?!\n\})[^])*password\?: string/);
  });

  test('have no input type if nothing can be written', () => {
    expect(text).not.toMatch(/(Session|File)(Record)?(Create|Update)/);
    expect(text).toMatch(/interface FileRecordFilter /);
  });

  test('name every error', () => {
    for (const code of errorCodes()) expect(text).toContain(`  | "${code}"`);
  });

  test('are the same text for the same schemas in any order', () => {
    expect(recordTypes(snapshotOf(WORLD))).toBe(text);
    expect(recordTypes(snapshotOf([...WORLD].reverse()))).toBe(text);
  });

  test('compile in strict mode, and accept what the service accepts', () => {
    const sample = `
      import type { CursorAnswer, ErrorAnswer, ListAnswer, Post, PostCreate, PostFilter, PostSort, PostUpdate, Schemas } from './api';
      export const made: PostCreate = {
        title: 'x', status: 'published', big: '9007199254740993', huge: 7, published_at: 'now', category: { title: 'new' },
        tags: [{ id: 'a' }, 'b', { title: 'new' }], comments: [{ title: 'no post is named' }], owner: null,
      };
      export const changed: PostUpdate = { tags: { $add: ['a'], $remove: [{ id: 'b' }] }, comments: { $set: [] } };
      export const filter: PostFilter = {
        status: { $in: ['draft'] }, views: { $gte: 10 }, 'category.title': 'x', $or: [{ title: { $icontains: 'x' } }],
        tags: { $some: { title: 'x' } }, category: 'id', owner: { $null: true }, $search: 'words', meta: { $null: false },
      };
      export const sort: PostSort[] = ['-title', 'category.title', 'published_at'];
      export const titles = (page: ListAnswer<Post>): (string | undefined)[] => page.data.items.map((post) => post.category?.title);
      export const next = (page: CursorAnswer<Post>): string | null => page.data.next_cursor;
      export const known = (answer: ErrorAnswer): boolean => answer.data.error === '${errorCodes()[0]}';
      export function create<S extends 'post' | 'tag'>(name: S, data: Schemas[S]['create']): Schemas[S]['record'] | null { void name; void data; return null; }
      create('tag', { title: 'x' });
    `;
    expect(complaints(recordTypes(MAGAZINE), sample)).toEqual([]);
  });

  test('reject what the service rejects', () => {
    const wrong = [
      `const a: PostCreate = {};`,
      `const b: PostCreate = { title: 'x', id: 'mine' };`,
      `const c: PostCreate = { title: 'x', status: 'other' };`,
      `const d: PostCreate = { title: null };`,
      `const e: PostUpdate = { rank: 3 };`,
      `const f: PostUpdate = { created_at: 'now' };`,
      `const g: PostFilter = { secret: 'x' };`,
      `const h: PostFilter = { views: { $like: 'x' } };`,
      `const i: PostFilter = { raw: 'x' };`,
      `const j: PostSort = 'secret';`,
      `const k: PostSort = 'tags.title';`,
      `const l: ErrorCode = 'no_such_code';`,
      `const n: PostUpdate = { category_id: 'y' };`,
      `const m: PostCreate = { title: 'x', comments: [{ title: 'x', post: 'y' }] };`,
    ];
    const head = `import type { ErrorCode, PostCreate, PostFilter, PostSort, PostUpdate } from './api';`;
    const found = complaints(recordTypes(MAGAZINE), [head, ...wrong].join('\n'));
    expect([...new Set(found.map((line) => line.split(':')[0]))]).toEqual(wrong.map((_, at) => String(at + 2)));
  });

  test('are unique for any schema names', () => {
    const names = ['post_create', 'post', 'omit', 'records', 'error_answer', 'json_value', 'sort_key', 'p_o_s_t'];
    const definitions = [
      ...names.map((name) => schema(name)),
      schema('array', [relation('post', 'post', 'arrays', 'm2o')]),
    ];
    definitions[1] = schema('post', [relation('arrays', 'array', 'post', 'o2m', { owner: true })]);
    const types = recordTypes(snapshotOf(definitions));
    const declaredNames = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(new Set(declaredNames).size).toBe(declaredNames.length);
    expect(complaints(types, '')).toEqual([]);
  });
});
