import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefinitionError } from '../../../kernel/definition-error.js';
import { type AnyModule, type Declaration, declarationsOf } from '../../../kernel/module-settings.js';
import type { Config } from '../../../platform/config/config.types.js';
import { SCHEMA_DIRECTORIES } from '../schema-directories.decorator.js';
import { readSchemaFiles } from '../files/read-schema-files.js';
import { schemaDirectory } from '../files/schema-file-writer.js';
import { AppError } from '../../../kernel/app-error.js';
import type { StepAnswer } from './examine-plan.js';
import { SchemaFaultError, fieldErrors, type SchemaFault } from '../codes/schema-fault.js';
import { SchemaFilesError } from '../files/schema-files.errors.js';

type DeclaredDirectories = Declaration<readonly (URL | string)[]>;

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

/** Turns the refusals of schema files into a list for the person at the terminal: throws {@link SchemaFilesError}. */
export async function wordRefusals<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const faults = faultsOf(error);
    if (faults) {
      const { field_errors } = fieldErrors(faults.faults);
      throw new SchemaFilesError(directory, faultLines(faults.faults), { error: 'schema_invalid', field_errors });
    }
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    throw new SchemaFilesError(directory, refusalLines(error), { error: code, message, ...details });
  }
}

function faultsOf(error: unknown): SchemaFaultError | undefined {
  const cause = error instanceof AppError && error.code === 'schema_invalid' ? error.cause : error;
  return cause instanceof SchemaFaultError ? cause : undefined;
}

function refusalLines({ code, message, details }: AppError): readonly string[] {
  const steps = (details['steps'] ?? []) as readonly StepAnswer[];
  const hint = code === 'migration_destructive' ? ['`schema:apply --allow-data-loss` applies it all the same.'] : [];
  const lost = steps.map(({ words, rows, problems }) =>
    [words, rows === undefined ? '' : `Rows: ${rows}.`, ...problems.map(problemLine)].filter(Boolean).join(' '),
  );
  return [message, ...lost, ...hint];
}

function problemLine({ message, examples }: StepAnswer['problems'][number]): string {
  return `${message}${examples.length === 0 ? '' : ` For example ${examples.join(', ')}.`}`;
}

/** Returns faults as lines for people: where, what, which code, and what may have been meant. */
function faultLines(faults: readonly SchemaFault[]): readonly string[] {
  return faults.map(({ source, path, schema, code, message, suggestion }) => {
    const place = [source ?? schema, path].filter(Boolean).join(' ');
    const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
    return `${place === '' ? '' : `${place}: `}${message}${hint} (${code})`;
  });
}
