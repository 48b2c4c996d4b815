import { load } from 'js-yaml';
import { convertDirectus } from '../../../packages/convert/src/directus/convert-directus.js';
import { declaredSystemSchemas } from '../../../src/kernel/system-schema.js';
import { exampleProject, itConverts } from '../../support/conversions.js';

const files = exampleProject('directus');

describe('a Directus snapshot', () => {
  itConverts({
    name: 'directus',
    convert: convertDirectus,
    files,
    parse: (text) => load(text) as unknown,
    strictFiles: files.map(({ name }) => name),
  });

  it('is the same as JSON and as a response of its API', () => {
    const [{ name, text }] = files as [{ name: string; text: string }];
    const value: unknown = load(text);
    const system = declaredSystemSchemas();
    const { notes: _, ...expected } = convertDirectus([{ name, text }], { system });
    for (const one of [value, { data: value }]) {
      const { notes, ...result } = convertDirectus([{ name: 'snapshot.json', text: JSON.stringify(one) }], { system });
      expect(result).toEqual(expected);
      expect(notes.length).toBeGreaterThan(0);
    }
  });

  it.each(['a: &a [*a]', 'a: [&b x, *c]', '- - - :', '\t', 'a: !!js/function x'])(
    'is reported if %j is no YAML or no snapshot',
    (text) => {
      const { schemas, notes } = convertDirectus([{ name: 'a.yaml', text }], { system: declaredSystemSchemas() });
      expect(schemas).toEqual([]);
      expect(notes.length).toBeGreaterThan(0);
    },
  );
});
