import type { Conversion, Converter } from './draft/conversion.types.js';
import { convertDirectus } from './directus/convert-directus.js';
import { convertFastSchema } from './fastschema/convert-fastschema.js';
import { convertPocketBase } from './pocketbase/convert-pocketbase.js';
import { convertStrapi } from './strapi/convert-strapi.js';

export type { Conversion, Converter, SourceFile } from './draft/conversion.types.js';

/** Converters by product name. They are pure functions without I/O. */
export const CONVERTERS = {
  directus: convertDirectus,
  fastschema: convertFastSchema,
  pocketbase: convertPocketBase,
  strapi: convertStrapi,
} as const satisfies Readonly<Record<string, Converter>>;

export type ConverterName = keyof typeof CONVERTERS;

export const CONVERTER_NAMES = Object.keys(CONVERTERS) as readonly ConverterName[];

export function isConverterName(name: string): name is ConverterName {
  return Object.hasOwn(CONVERTERS, name);
}

/** Returns the definitions in the format of `POST /api/schema`, with their renames. */
export function submissionOf({ schemas, renames }: Conversion): readonly object[] {
  return schemas.map((schema) => {
    const { [schema.name]: own } = renames;
    return own === undefined ? schema : { ...schema, renames: own };
  });
}

export function definitionFiles(conversion: Conversion): readonly { readonly name: string; readonly text: string }[] {
  return submissionOf(conversion).map((definition, at) => ({
    name: `${conversion.schemas[at]?.name}.json`,
    text: `${JSON.stringify(definition, null, 2)}\n`,
  }));
}
