import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import { rewriteFiles } from './schema-file-writer.js';

const definition = (name: string, label = 'title'): SchemaDefinition => {
  return { name, namespace: `${name}s`, label_field: label, fields: [] };
};
const file = (name: string, json: unknown) => ({ name, json, hash: '' });
const rewritten = (files: Parameters<typeof rewriteFiles>[0], wanted: Record<string, SchemaDefinition | null>) =>
  Object.fromEntries(rewriteFiles(files, new Map(Object.entries(wanted))));

describe('schema files that follow a change', () => {
  test('a definition is replaced where it stands, whatever the form of the file', () => {
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

  test('one that stands nowhere gets a file of its own', () => {
    expect(rewritten([file('a.json', definition('tag'))], { post: definition('post') })).toEqual({
      'post.json': definition('post'),
    });
  });

  test('one that is gone leaves its file, and a file that is left empty goes', () => {
    const files = [
      file('a.json', definition('post')),
      file('b.json', { schemas: [definition('tag'), definition('x')] }),
    ];
    expect(rewritten(files, { post: null, tag: null })).toEqual({
      'a.json': null,
      'b.json': { schemas: [definition('x')] },
    });
  });

  test('files that the change does not speak of are left alone', () => {
    expect(rewritten([file('a.json', definition('tag')), file('b.json', 7)], { other: null })).toEqual({});
  });
});
