import { definitionsOf, fileOf, isRead } from './brought-in.js';

describe('what schemas are brought in from', () => {
  it('is a definition a file, a list of them, or a list of a name', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    const files = [a, [b, c], { schemas: [d] }].map((value) => ({ name: 'x.json', text: JSON.stringify(value) }));
    expect(definitionsOf(files)).toEqual([a, b, c, d]);
    for (const text of ['{', '', 'null', '7'])
      expect(() => definitionsOf([{ name: 'x.json', text }])).toThrow(SyntaxError);
  });

  it('is what was saved as a file, without the schemas of the service', () => {
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
  ] as const)('of %s %s is read: %s', (source, name, expected) => expect(isRead(source, name)).toBe(expected));
});
