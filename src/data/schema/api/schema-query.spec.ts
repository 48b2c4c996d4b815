import { entityTag, parseIfMatch, parseSchemaQuery } from './schema-query.js';

describe('the parameters of the schema routes', () => {
  test('are read by their routes', () => {
    expect(
      parseSchemaQuery({ allow_data_loss: 'true', back_refs: 'create' }, ['allow_data_loss', 'back_refs']),
    ).toEqual({
      allowDataLoss: true,
      allowRebuild: false,
      backRefs: 'create',
      plan: undefined,
      remove: [],
      format: 'json',
      limit: 50,
      before: null,
    });
    expect(parseSchemaQuery({ remove: 'a,b,' }, ['remove']).remove).toEqual(['a', 'b']);
    expect(parseSchemaQuery({ allow_data_loss: 'false' }, ['allow_data_loss']).allowDataLoss).toBe(false);
  });

  test.each([
    [{ x: '1' }],
    [{ plan: 'a'.repeat(64) }],
    [{ allow_data_loss: 'yes' }],
    [{ allow_data_loss: ['true', 'true'] }],
    [{ allow_data_loss: '' }],
    [{ constructor: '1' }],
  ])('are rejected otherwise: %j', (query) => {
    expect(() => parseSchemaQuery(query as never, ['allow_data_loss'])).toThrow(/parameter/);
  });
});

describe('If-Match', () => {
  test('lists versions; an empty value or a star matches any, and an invalid one none', () => {
    expect(parseIfMatch(undefined)).toBeUndefined();
    expect(parseIfMatch('*')).toBeUndefined();
    expect(parseIfMatch(entityTag(7))).toEqual([7]);
    expect(parseIfMatch('"7", "8"')).toEqual([7, 8]);
    // Compressing proxies change the tag, but not the version in it.
    for (const tag of ['W/"7"', '"7-gzip"', '"7;br"', 'W/"7--gzip"']) expect(parseIfMatch(tag)).toEqual([7]);
    expect(parseIfMatch('"x"')).toEqual([-1]);
    for (const none of ['7', '', 'w/"7"', 'W/7', '"7']) expect(parseIfMatch(none)).toEqual([]);
  });
});
