import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import { rewriteFiles } from './schema-file-writer.js';

const definition = (name: string, label = 'title'): SchemaDefinition => {
  return { name, namespace: `${name}s`, label_field: label, fields: [] };
};
const file = (name: string, json: unknown) => ({ name, json, hash: '' });
const rewritten = (files: Parameters<typeof rewriteFiles>[0], definitions: Record<string, SchemaDefinition | null>) =>
  Object.fromEntries(rewriteFiles(files, new Map(Object.entries(definitions))));

describe('schema files after a change', () => {
  test('a definition is replaced in place, in any file layout', () => {
    const post = definition('post', 'name');
    const files = [
      file('a.json', definition('post')),
      file('b.json', [definition('post'), definition('tag')]),
      file('c.json', { schemas: [definition('tag'), definition('post')] }),
    ];
    expect(rewritten(files, { post })).toEqual({
      'a.json': post,
      'b.json': [post, definition('tag')],
      'c.json': { schemas: [definition('tag'), post] },
    });
  });

  test('a new definition gets its own file', () => {
    expect(rewritten([file('a.json', definition('tag'))], { post: definition('post') })).toEqual({
      'post.json': definition('post'),
    });
  });

  test('a dropped definition is removed, and an empty file is deleted', () => {
    const files = [
      file('a.json', definition('post')),
      file('b.json', { schemas: [definition('tag'), definition('x')] }),
    ];
    expect(rewritten(files, { post: null, tag: null })).toEqual({
      'a.json': null,
      'b.json': { schemas: [definition('x')] },
    });
  });

  test('other files are unchanged', () => {
    expect(rewritten([file('a.json', definition('tag')), file('b.json', 7)], { other: null })).toEqual({});
  });
});
