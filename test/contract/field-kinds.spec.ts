import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_SETTINGS } from '../../dash/src/console/fields/field-settings.js';
import { TYPE_ALIASES } from '../../dash/src/console/model/field-settings.js';
import { definitionJsonSchema } from '../../src/data/schema/definition/definition-json-schema.js';
import { FIELD_TYPES, type FieldTypeRow } from '../../src/data/model/field-types.js';
import { faultsOf } from '../support/schema-definitions.js';

describe('the field types of the console', () => {
  it('contain every type of definition.json, by its canonical name', () => {
    const text = JSON.stringify(definitionJsonSchema());
    for (const type of Object.keys(FIELD_TYPES)) expect(text).toContain(`"${type}"`);
    const table = readFileSync(join(__dirname, '../../dash/src/console/fields/field-kinds.ts'), 'utf8');
    const kinds = [...table.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name);
    expect(kinds.sort()).toEqual(Object.keys(FIELD_TYPES).sort());
    expect(Object.keys(FIELD_SETTINGS).sort()).toEqual(Object.keys(FIELD_TYPES).sort());
  });

  it('have the settings that the service allows, and no others', () => {
    const types = Object.keys(FIELD_TYPES) as (keyof typeof FIELD_TYPES)[];
    for (const [member, value] of Object.entries(PROBES)) {
      const fields = types.map((type) => ({ type, name: `of_${type}`, [member]: value }));
      const faults = faultsOf({ name: 'probe', namespace: 'probes', fields });
      const refused = types.filter((_, index) =>
        faults.some(({ code, path }) => code.endsWith('.not_allowed') && path === `/fields/${index}/${member}`),
      );
      const without = types.filter((type) => !(FIELD_SETTINGS[type] as readonly string[]).includes(member));
      expect([member, without]).toEqual([member, refused]);
    }
  });

  it('are also found by their aliases', () => {
    const aliases = Object.entries<FieldTypeRow>(FIELD_TYPES).flatMap(([type, row]) =>
      (row.aliases ?? []).map((alias) => [alias, type]),
    );
    expect(TYPE_ALIASES).toEqual(Object.fromEntries(aliases));
  });
});

/** Members that the service rejects for types that do not support them. */
const PROBES = {
  size: 10,
  unique: true,
  searchable: true,
  multiple: true,
  setter: 'value',
  getter: 'value',
  default: 'auth.id',
  file: {},
  enums: [{ value: 'a' }],
  relation: { schema: 'user', field: 'probes', type: 'm2o' },
};
