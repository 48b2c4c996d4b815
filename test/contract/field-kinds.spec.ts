import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionJsonSchema } from '../../src/data/schema/definition/definition-json-schema.js';
import { FIELD_TYPES } from '../../src/data/model/field-types.js';

const FIELDS = join(__dirname, '../../dash/src/console/fields');
const PARTS = ['cell', 'input', 'filter', 'settings', 'index'];

describe('the types of fields in the console', () => {
  it('are those of definitions, each a folder with everything that a field needs', () => {
    const types = Object.keys(FIELD_TYPES);
    const folders = readdirSync(FIELDS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...types, 'shared'].sort());
    for (const type of types)
      for (const part of PARTS)
        expect([type, part, existsSync(join(FIELDS, type, `${part}.ts`))]).toEqual([type, part, true]);
  });

  it('have every type of definition.json, by its canonical name', () => {
    const text = JSON.stringify(definitionJsonSchema());
    for (const type of Object.keys(FIELD_TYPES)) expect(text).toContain(`"${type}"`);
    const registry = readFileSync(join(FIELDS, 'field-kinds.ts'), 'utf8');
    const known = [...registry.matchAll(/from '\.\/(\w+)\/index\.js'/g)].map(([, name = '']) => name);
    expect(new Set(known)).toEqual(new Set(Object.keys(FIELD_TYPES)));
  });
});
