import { applied, blog, faultsOf, field, snapshotOf } from '../../../../test/support/schema-definitions.js';

describe('a removed schema', () => {
  test('removes the relations to it with their indexes, and nothing else', () => {
    const indexed = blog().map((json) =>
      json['name'] === 'post'
        ? { ...json, db: { indexes: [{ columns: ['title', 'author'], unique: true }, { columns: ['title'] }] } }
        : json,
    );
    const before = snapshotOf(indexed);
    const { snapshot, plan } = applied(before, { remove: ['author'] });
    expect(snapshot.schemas['author']).toBeUndefined();
    for (const name of ['post', 'profile', 'tag']) {
      const { definition, id, fields } = snapshot.schemas[name]!;
      const former = before.schemas[name]!;
      expect(definition.fields).toEqual(
        former.definition.fields.filter(({ relation }) => relation?.schema !== 'author'),
      );
      expect(id).toBe(former.id);
      for (const field of Object.values(fields)) expect(field.id).toBe(former.fields[field.name]?.id);
    }
    expect(snapshot.schemas['post']?.definition.db).toEqual({
      indexes: [expect.objectContaining({ columns: ['title'] })],
    });
    expect(plan.steps.filter((step) => step.losesData).map(({ table, field }) => field ?? table)).toEqual(
      expect.arrayContaining(['author']),
    );
  });

  test('is kept if an expression of another schema needs it, which is reported', () => {
    const noted = blog().map((json) =>
      json['name'] === 'post'
        ? {
            ...json,
            fields: [...(json['fields'] as object[]), field('string', 'byline', { setter: 'string(record.author)' })],
          }
        : json,
    );
    const faults = faultsOf([], snapshotOf(noted), { remove: ['author'] });
    expect(faults).toEqual([
      expect.objectContaining({ code: 'field.setter.compile_error', schema: 'post', field: 'byline' }),
    ]);
  });
});
