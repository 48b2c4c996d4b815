import { strToU8, zipSync } from 'fflate';
import { definitionsOf, fileOf, isSourceFile, readFiles } from './import-files.js';

describe('importing schemas', () => {
  it('reads a definition, a list, or a named list from each file', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    const files = [a, [b, c], { schemas: [d] }].map((value) => ({ name: 'x.json', text: JSON.stringify(value) }));
    expect(definitionsOf(files)).toEqual([a, b, c, d]);
    for (const text of ['{', '', 'null', '7'])
      expect(() => definitionsOf([{ name: 'x.json', text }])).toThrow(SyntaxError);
  });

  it('reads an exported file, without system schemas', () => {
    const text = fileOf([{ name: 'a' }, { name: 'user' }, { name: 'b' }]);
    expect(definitionsOf([{ name: 'schemas.json', text }])).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  it.each([
    ['strapi', 'src/api/post/content-types/post/schema.json', true],
    ['strapi', 'src/api/post/controllers/post.js', false],
    ['strapi', 'node_modules/strapi/package.json', false],
    ['fastschema', '.git/x.json', false],
    ['fastschema', 'data/schemas/post.json', true],
    ['directus', 'snapshot.yaml', true],
    ['pocketbase', 'pb_schema.json', true],
  ] as const)('reads from %s %s: %s', (source, name, expected) => expect(isSourceFile(source, name)).toBe(expected));

  describe('a zip archive', () => {
    const zipOf = (files: Readonly<Record<string, string | Uint8Array>>) => {
      const entries = Object.entries(files).map(([name, text]) => [
        name,
        typeof text === 'string' ? strToU8(text) : text,
      ]);
      return zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>);
    };
    // The path is empty if the file was not selected with its folder.
    const read = (bytes: Uint8Array) => {
      const file = new File([new Uint8Array(bytes)], 'all.ZIP');
      return readFiles('fastschema', [Object.assign(file, { webkitRelativePath: '' })]);
    };

    it('is read like a folder', async () => {
      const ignored = { 'node_modules/a/x.json': '{}', 'data/readme.md': '#', 'data/': '' };
      const bytes = zipOf({ ...ignored, 'data/schemas/b.json': '{"name":"ä"}', 'data/schemas/a.json': '{}' });
      expect(await read(bytes)).toEqual([
        { name: 'data/schemas/a.json', text: '{}' },
        { name: 'data/schemas/b.json', text: '{"name":"ä"}' },
      ]);
    });

    it('is rejected if it is invalid, truncated or too large', async () => {
      const bytes = zipOf({ 'a.json': '{"name":"a"}' });
      for (const broken of [strToU8('{}'), new Uint8Array(), bytes.slice(0, -10), bytes.slice(20)])
        await expect(read(broken)).rejects.toMatchObject({ file: 'all.ZIP', reason: 'unreadable' });
      const large = zipOf({ 'a.json': new Uint8Array(9 << 20), 'b.json': new Uint8Array(9 << 20) });
      await expect(read(large)).rejects.toMatchObject({ file: 'all.ZIP', reason: 'large' });
      const many = zipOf(Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`${index}.json`, ''])));
      await expect(read(many)).rejects.toMatchObject({ file: 'all.ZIP', reason: 'large' });
    });
  });
});
