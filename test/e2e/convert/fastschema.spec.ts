import { zipArchive } from '../../../src/data/schema/api/zip-archive.js';
import { convertFastSchema } from '../../../packages/convert/src/fastschema/convert-fastschema.js';
import { translateSetter } from '../../../packages/convert/src/fastschema/translate-setter.js';
import { unpackProject } from '../../../src/features/convert/read-project.js';
import { converted, exampleProject, itConverts } from '../../support/conversions.js';

const files = exampleProject('fastschema');
const schemaFiles = files.filter(({ name }) => name.includes('/schemas/'));

describe('a FastSchema project', () => {
  itConverts({
    name: 'fastschema',
    convert: convertFastSchema,
    files,
    parse: (text) => JSON.parse(text) as unknown,
    strictFiles: schemaFiles.map(({ name }) => name),
  });

  it('is the same in a zip archive, with any folder name', () => {
    const packed = zipArchive(
      schemaFiles.map(({ name, text }) => ({ name: name.replace('data/schemas/', ''), content: text })),
    );
    const { schemas } = converted(convertFastSchema, unpackProject(Buffer.from(packed)));
    expect(schemas).toEqual(converted(convertFastSchema, files).schemas);
  });

  it.each([
    ['$args.Value', 'value'],
    ['lower( $args.Value )', 'lower(value)'],
    ['$args.Value | trim() | upper()', 'upper(trim(value))'],
    ['$args.Exist ? trim($args.Value) : $undefined', 'trim(value)'],
    ['$hash($args.Value)', undefined],
    ['$context.User().ID', undefined],
    ['lower($args.Value) + "x"', undefined],
    ['', undefined],
  ])('translates the setter %s into %s', (text, cel) => {
    expect(translateSetter(text)).toBe(cel);
  });
});
