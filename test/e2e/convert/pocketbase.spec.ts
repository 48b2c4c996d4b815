import { convertPocketBase } from '../../../packages/convert/src/pocketbase/convert-pocketbase.js';
import { exampleProject, itConverts } from '../../support/conversions.js';

const files = exampleProject('pocketbase');

describe('PocketBase collections', () => {
  itConverts({
    name: 'pocketbase',
    convert: convertPocketBase,
    files,
    parse: (text) => JSON.parse(text) as unknown,
    strictFiles: ['pb_schema.json'],
  });
});
