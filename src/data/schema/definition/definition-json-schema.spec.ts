import { blog } from '../../../../test/support/schema-definitions.js';
import { FIELD_TYPES } from '../../model/field-types.js';
import { FIELD_MEMBERS, RELATION_MEMBERS, SCHEMA_MEMBERS } from './definition-node.js';
import { definitionJsonSchema } from './definition-json-schema.js';

interface ObjectSchema {
  readonly additionalProperties: boolean;
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, ObjectSchema & { enum?: readonly string[]; items?: ObjectSchema }>>;
}

const root = (definitionJsonSchema()['$defs'] as { schema: unknown }).schema as ObjectSchema;
const field = root.properties['fields']?.items;
const relation = field?.properties['relation'];

describe('the JSON Schema of a definition', () => {
  test.each([
    ['schemas', root, SCHEMA_MEMBERS],
    ['fields', field, FIELD_MEMBERS],
    ['relations', relation, RELATION_MEMBERS],
  ])('has exactly the members of %s', (_, cached, members) => {
    expect(Object.keys(cached?.properties ?? {}).sort()).toEqual(Object.keys(members).sort());
    expect(cached?.additionalProperties).toBe(false);
  });

  test('has every type with its aliases', () => {
    const names = Object.entries(FIELD_TYPES).flatMap(([type, row]) => [
      type,
      ...('aliases' in row ? row.aliases : []),
    ]);
    expect([...(field?.properties['type']?.enum ?? [])].sort()).toEqual(names.sort());
  });

  test('requires the mandatory members', () => {
    for (const definition of blog()) {
      for (const member of root.required) expect(definition).toHaveProperty(member);
      expect(Object.keys(definition).filter((member) => !Object.hasOwn(root.properties, member))).toEqual([]);
    }
  });
});
