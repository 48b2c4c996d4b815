import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../../kernel/json-numbers.js';
import { makeFault, SchemaFaultError } from '../codes/schema-fault.js';
import { SchemaFilesError } from './schema-files.errors.js';

export interface SchemaFile {
  readonly name: string;
  readonly json: unknown;
  readonly hash: string;
}

/**
 * Reads all `*.json` of a directory, by name; a directory that is not there has none. Throws `schema.io.read_error` if
 * something cannot be read, and {@link SchemaFilesError} where something is not JSON.
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
    throw new SchemaFaultError([makeFault('schema.io.read_error', { cause })]);
  }
}
