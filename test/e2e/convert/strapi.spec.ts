import { convertStrapi } from '../../../packages/convert/src/strapi/convert-strapi.js';
import { exampleProject, itConverts } from '../../support/conversions.js';

const files = exampleProject('strapi');

describe('a Strapi project', () => {
  itConverts({
    name: 'strapi',
    convert: convertStrapi,
    files,
    parse: (text) => JSON.parse(text) as unknown,
    strictFiles: files.map(({ name }) => name).filter((name) => name.startsWith('src/')),
  });
});
