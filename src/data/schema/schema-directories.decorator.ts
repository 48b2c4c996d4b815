import { declareOnModule } from '../../kernel/module-settings.js';

export const SCHEMA_DIRECTORIES = Symbol('SCHEMA_DIRECTORIES');

/**
 * Declares directories of schema files that come with a module, on its class: they are applied at the start, before those of
 * the operator.
 *
 * @param directories absolute paths, or `new URL('./schemas/', import.meta.url)`.
 */
export function ShipsSchemas(...directories: readonly (URL | string)[]): ClassDecorator {
  return declareOnModule(SCHEMA_DIRECTORIES, directories);
}
