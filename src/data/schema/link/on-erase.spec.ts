import { faultsOf, relation, schema, snapshotOf } from '../../../../test/support/schema-definitions.js';

const owner = { owner: true };

describe('the erasure of accounts', () => {
  const erasure = (author: Record<string, unknown>, posts: object = {}, type = 'o2m') =>
    faultsOf([
      schema('post', [relation('author', 'user', 'posts', type, author)]),
      { name: 'user', fields: [relation('posts', 'post', 'author', type, { ...owner, ...posts })] },
    ]);

  test('is declared on either side of a relation, and returned as declared', () => {
    for (const [author, posts] of [
      [{ on_erase: 'DELETE' }, {}],
      [{}, { on_erase: 'delete' }],
    ]) {
      const linked = snapshotOf([
        schema('post', [relation('author', 'user', 'posts', 'o2m', author)]),
        { name: 'user', fields: [relation('posts', 'post', 'author', 'o2m', { ...owner, ...posts })] },
      ]);
      expect(linked.schemas['post']?.fields['author']).toMatchObject({ onErase: 'delete' });
      expect(linked.schemas['user']?.fields['posts']).toMatchObject({ onErase: 'delete' });
      const { fields } = linked.schemas['post']?.definition ?? { fields: [] };
      const onErase = fields.find(({ name }) => name === 'author')?.relation?.on_erase;
      expect(onErase).toBe('on_erase' in author! ? 'delete' : undefined);
    }
  });

  test('reports all errors, each at its place', () => {
    const pairs = [
      relation('author', 'user', 'posts', 'o2m', { on_erase: 'delete' }),
      relation('fans', 'user', 'liked', 'm2m', { ...owner, on_erase: 'delete' }),
      relation('cover', 'user', 'covers', 'o2m', { ...owner, on_erase: 'keep' }),
      relation('tag', 'tag', 'posts', 'o2m', { on_erase: 'anonymise' }),
      relation('editor', 'user', 'edited', 'o2m', { on_erase: 'erase' }),
    ];
    const faults = faultsOf([
      schema('post', pairs),
      schema('tag', [relation('posts', 'post', 'tag', 'o2m', owner)]),
      {
        name: 'user',
        fields: [
          relation('posts', 'post', 'author', 'o2m', { ...owner, on_erase: 'keep' }),
          relation('liked', 'post', 'fans', 'm2m'),
          relation('covers', 'post', 'cover', 'o2m'),
          relation('edited', 'post', 'editor', 'o2m', owner),
          relation('boss', 'user', 'team', 'o2m', { on_erase: 'delete' }),
          relation('team', 'user', 'boss', 'o2m', owner),
        ],
      },
    ]);
    expect(faults.map(({ code, schema: name, field: of, path }) => [code, `${name}.${of}`, path])).toEqual([
      ['relation.on_erase.mismatch', 'post.author', '/0/fields/1/relation/on_erase'],
      ['relation.on_erase.impossible', 'post.fans', '/0/fields/2/relation/on_erase'],
      ['relation.on_erase.unrelated', 'post.cover', '/0/fields/3/relation/on_erase'],
      ['relation.on_erase.unrelated', 'post.tag', '/0/fields/4/relation/on_erase'],
      ['relation.on_erase.invalid', 'post.editor', '/0/fields/5/relation/on_erase'],
      ['relation.on_erase.impossible', 'user.boss', '/2/fields/4/relation/on_erase'],
    ]);
  });

  test('accepts only the actions for relations to accounts', () => {
    for (const [action, type] of [
      ['delete', 'o2m'],
      ['delete', 'o2o'],
      ['keep', 'o2m'],
      ['anonymise', 'o2m'],
      ['keep', 'm2m'],
      ['anonymise', 'm2m'],
    ])
      expect(erasure({ on_erase: action }, {}, type)).toEqual([]);
  });
});
