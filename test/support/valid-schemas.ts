import fc from 'fast-check';
import { FIELD_TYPE_NAMES } from '../../src/data/model/field-types.js';
import { schema } from './schema-definitions.js';

type Json = Record<string, unknown>;

const VALUE_TYPES = FIELD_TYPE_NAMES.filter((type) => !['relation', 'file', 'enum'].includes(type));

/** A field of any type; a number selects its name. */
const anyField = fc
  .record({
    type: fc.constantFrom(...VALUE_TYPES, 'enum', 'file'),
    at: fc.integer({ min: 0, max: 7 }),
    optional: fc.boolean(),
    unique: fc.boolean(),
    multiple: fc.boolean(),
    enums: fc.uniqueArray(fc.constantFrom('a', 'b', "it's", 'ü'), { minLength: 1 }),
  })
  .map(({ type, at, optional, unique, multiple, enums }): Json => {
    const isPlain = !['json', 'bytes', 'text', 'file'].includes(type);
    return {
      type,
      name: `f${at}`,
      optional,
      ...(unique && isPlain ? { unique } : {}),
      ...(type === 'file' ? { multiple } : {}),
      ...(type === 'enum' ? { enums: enums.map((value) => ({ value })) } : {}),
    };
  });

const anyRelation = fc.record({
  from: fc.nat({ max: 4 }),
  to: fc.nat({ max: 4 }),
  type: fc.constantFrom('o2o', 'o2m', 'm2m'),
  ownerFirst: fc.boolean(),
  optional: fc.boolean(),
});

export const validSet = fc
  .record({
    tables: fc.array(
      fc.record({
        fields: fc.uniqueArray(anyField, { selector: (at) => at['name'], maxLength: 6 }),
        timestamps: fc.boolean(),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    relations: fc.array(anyRelation, { maxLength: 6 }),
  })
  .map(({ tables, relations }): Json[] => {
    const schemas = tables.map(({ fields, timestamps }, at) =>
      schema(`s${at}`, fields, { disable_timestamp: !timestamps }),
    );
    relations.forEach(({ from, to, type, ownerFirst, optional }, at) => {
      const [a, b] = [from % schemas.length, to % schemas.length];
      const side = (own: number, other: number, half: string, back: string, isOwner: boolean) => {
        const relation = { schema: `s${other}`, field: `r${at}${back}`, type, ...(isOwner ? { owner: true } : {}) };
        const fields = schemas[own]?.['fields'] as Json[];
        fields.push({ type: 'relation', name: `r${at}${half}`, optional, relation });
      };
      side(a, b, 'a', 'b', ownerFirst);
      side(b, a, 'b', 'a', !ownerFirst);
    });
    return schemas;
  });
