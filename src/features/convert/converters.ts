import type { Converter } from './draft/conversion.types.js';
import { convertDirectus } from './directus/convert-directus.js';
import { convertFastSchema } from './fastschema/convert-fastschema.js';
import { convertPocketBase } from './pocketbase/convert-pocketbase.js';
import { convertStrapi } from './strapi/convert-strapi.js';

/** Converters of the projects of each product, by its name. */
export const CONVERTERS = {
  directus: convertDirectus,
  fastschema: convertFastSchema,
  pocketbase: convertPocketBase,
  strapi: convertStrapi,
} as const satisfies Readonly<Record<string, Converter>>;

/** Names a product whose projects can be converted. */
export type ConverterName = keyof typeof CONVERTERS;

/** The names of all of them. */
export const CONVERTER_NAMES = Object.keys(CONVERTERS) as readonly ConverterName[];

/** Returns whether a text names one of them. */
export function isConverterName(name: string): name is ConverterName {
  return Object.hasOwn(CONVERTERS, name);
}
