import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseJson } from '../../../kernel/text/json.js';
import { createFault, SchemaFaultError, fieldErrors, type SchemaFault } from '../codes/schema-fault.js';
import { SchemaFilesError } from './schema-files.errors.js';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { type AnyModule, type Declaration, declarationsOf } from '../../../platform/extension/module-settings.js';
import type { Config } from '../../../platform/config/config.types.js';
import { SCHEMA_DIRECTORIES } from '../schema-directories.decorator.js';
import { AppError } from '../../../kernel/errors/app-error.js';

/** @throws DefinitionError for a directory that does not exist. */
export function schemaDirectories({ owner, declared }: Declaration<readonly (URL | string)[]>): readonly string[] {
  return declared.map((path) => {
    const directory = path instanceof URL ? fileURLToPath(path) : resolve(path);
    if (existsSync(directory)) return directory;
    throw new DefinitionError(`${owner.name} lists schemas in ${directory}, but this directory does not exist.`);
  });
}

/** Checks without a database that all schema files can be read. @throws DefinitionError SchemaFilesError */
export async function assertSchemaFiles(config: Config, modules: readonly AnyModule[]): Promise<void> {
  const directories = declarationsOf<readonly (URL | string)[]>(modules, SCHEMA_DIRECTORIES).flatMap(schemaDirectories);
  for (const directory of [...directories, schemaDirectory(config)])
    await asFilesError(directory, () => readSchemaFiles(directory));
}

/** Converts errors of schema files to {@link SchemaFilesError}, a list for the terminal. */
export async function asFilesError<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
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

interface RefusedStep {
  readonly words: string;
  readonly rows?: number;
  readonly problems: readonly { readonly message: string; readonly examples: readonly string[] }[];
}

function refusalLines({ code, message, details }: AppError): readonly string[] {
  const steps = (details['steps'] ?? []) as readonly RefusedStep[];
  const hint = code === 'migration_destructive' ? ['To apply it anyway, run `schema:apply --allow-data-loss`.'] : [];
  const lost = steps.map(({ words, rows, problems }) =>
    [words, rows === undefined ? '' : `Rows: ${rows}.`, ...problems.map(problemLine)].filter(Boolean).join(' '),
  );
  return [message, ...lost, ...hint];
}

function problemLine({ message, examples }: RefusedStep['problems'][number]): string {
  return `${message}${examples.length === 0 ? '' : ` For example ${examples.join(', ')}.`}`;
}

function faultLines(faults: readonly SchemaFault[]): readonly string[] {
  return faults.map(({ source, path, schema, code, message, suggestion }) => {
    const location = [source ?? schema, path].filter(Boolean).join(' ');
    const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
    return `${location === '' ? '' : `${location}: `}${message}${hint} (${code})`;
  });
}

export function schemaDirectory({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'schemas');
}

export interface SchemaFile {
  readonly name: string;
  readonly json: unknown;
  readonly hash: string;
}

/**
 * Reads all `*.json` of a directory, sorted by name. Returns none if the directory does not exist. Throws `schema.io.read_error`, or {@link
 * SchemaFilesError} for invalid JSON.
 */
export async function readSchemaFiles(directory: string): Promise<readonly SchemaFile[]> {
  const texts = await readTexts(directory);
  const faults: string[] = [];
  const files = texts.flatMap(({ name, text }): readonly SchemaFile[] => {
    try {
      const json = parseJson(text.replace(/^\uFEFF/, ''));
      return [{ name, json, hash: textHash(text) }];
    } catch (error) {
      faults.push(`${name}: not well-formed JSON: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  if (faults.length > 0) throw new SchemaFilesError(directory, faults);
  return files;
}

export function textHash(text: string): string {
  return hash('sha256', text);
}

async function readTexts(directory: string): Promise<readonly { readonly name: string; readonly text: string }[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json'))
      .map(({ name }) => name);
    return await Promise.all(
      names.sort().map(async (name) => ({ name, text: await readFile(join(directory, name), 'utf8') })),
    );
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new SchemaFaultError([createFault('schema.io.read_error', { cause })]);
  }
}
