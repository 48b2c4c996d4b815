import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefinitionError } from '../../../kernel/definition-error.js';
import { type AnyModule, type Declaration, declarationsOf } from '../../../kernel/module-settings.js';
import type { Config } from '../../../platform/config/config.types.js';
import { wordRefusals } from './word-refusals.js';
import { SCHEMA_DIRECTORIES } from '../schema-directories.decorator.js';
import { readSchemaFiles } from '../files/read-schema-files.js';
import { schemaDirectory } from '../files/schema-file-writer.js';

/** Directories of schema files, as a module declares them. */
export type DeclaredDirectories = Declaration<readonly (URL | string)[]>;

/**
 * Returns the paths of the directories of a module.
 *
 * @throws DefinitionError for one that does not exist.
 */
export function schemaPlaces({ owner, declared }: DeclaredDirectories): readonly string[] {
  return declared.map((place) => {
    const directory = place instanceof URL ? fileURLToPath(place) : resolve(place);
    if (existsSync(directory)) return directory;
    throw new DefinitionError(`${owner.name} brings schemas of ${directory}, and there is no such directory.`);
  });
}

/**
 * Checks before there is a database that the schema files of modules and of the data directory can be read.
 *
 * @throws DefinitionError SchemaFilesError
 */
export async function assertSchemaFiles(config: Config, modules: readonly AnyModule[]): Promise<void> {
  const places = declarationsOf<readonly (URL | string)[]>(modules, SCHEMA_DIRECTORIES).flatMap(schemaPlaces);
  for (const directory of [...places, schemaDirectory(config)])
    await wordRefusals(directory, () => readSchemaFiles(directory));
}
