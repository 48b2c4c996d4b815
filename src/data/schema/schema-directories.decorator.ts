import { declareOnModule } from '../../platform/extension/module-settings.js';

export const SCHEMA_DIRECTORIES = Symbol('SCHEMA_DIRECTORIES');

/**
 * Declares directories of schema files that a module ships. Use it on the module class. The files are applied at startup, before
 * those of the operator.
 *
 * @param directories absolute paths, or `new URL('./schemas/', import.meta.url)`.
 */
export function ShipsSchemas(...directories: readonly (URL | string)[]): ClassDecorator {
  return declareOnModule(SCHEMA_DIRECTORIES, directories);
}
