import { ApiError } from '../../api/api-error.js';
import type { ConversionNote, SchemaDefinition, SchemaPlan, SchemaVersion } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import { definitionsOf, readFiles, type Source } from './import-files.js';
import { type SchemaFault, schemaFaults } from './schema-faults.js';

export const MODEL = ['account', 'model'];

export interface ModelSearch {
  /** Name of the schema that was just changed. */
  readonly applied?: string;
  /** `diagram`; otherwise a list. */
  readonly view?: string;
  /** Schema in the centre of the diagram. */
  readonly around?: string;
}

export interface ChangeOptions {
  /** Creates missing back references of relations. */
  readonly backRefs: boolean;
}

/** Returns all schemas, including the built-in ones. */
export const listSchemas = async (): Promise<SchemaDefinition[]> =>
  (await authorized<{ data: SchemaDefinition[] }>('GET', '/api/schema')).data;

/** Returns the 20 newest versions. */
export const listVersions = async (): Promise<SchemaVersion[]> =>
  (await authorized<{ data: SchemaVersion[] }>('GET', '/api/schema/history?limit=20')).data;

export async function findFaults(
  definition: SchemaDefinition,
  options: ChangeOptions,
): Promise<readonly SchemaFault[]> {
  try {
    await authorized('POST', `/api/schema/validate${queryOf({ ...backRefsOf(options) })}`, definition);
    return [];
  } catch (error) {
    const faults = schemaFaults(error);
    if (faults === null) throw error;
    return faults;
  }
}

export const planChange = (definition: SchemaDefinition, options: ChangeOptions): Promise<SchemaPlan> =>
  plan(definition, backRefsOf(options));

export const planRemoval = (name: string): Promise<SchemaPlan> => plan([], { remove: name });

/** Applies a definition. Fails if the plan has changed since. */
export async function applyChange(
  definition: SchemaDefinition,
  { hash, loses_data }: Pick<SchemaPlan, 'hash' | 'loses_data'>,
  options: ChangeOptions,
): Promise<void> {
  const query = queryOf({ plan: hash, ...(loses_data && { allow_data_loss: 'true' }), ...backRefsOf(options) });
  await authorized('POST', `/api/schema${query}`, definition);
}

/** Schemas that were read from files. */
export interface ImportedSchemas {
  readonly schemas: readonly object[];
  readonly notes: readonly ConversionNote[];
  readonly faults: readonly SchemaFault[];
}

/**
 * Reads schemas from files. Files of other products are converted by the service, which does not apply them. @throws SyntaxError if a
 * Lintel file is not valid JSON.
 */
export async function importSchemas(source: Source, chosen: readonly File[]): Promise<ImportedSchemas> {
  const files = await readFiles(source, chosen);
  if (source === 'lintel') return { schemas: definitionsOf(files), notes: [], faults: [] };
  return (await authorized<{ data: ImportedSchemas }>('POST', '/api/schema/convert', { source, files })).data;
}

export const planSchemas = (schemas: readonly object[]): Promise<SchemaPlan> => plan({ schemas }, {});

/** Applies several definitions. Fails if the plan has changed since. */
export async function applySchemas(
  schemas: readonly object[],
  { hash, loses_data }: Pick<SchemaPlan, 'hash' | 'loses_data'>,
): Promise<void> {
  const query = queryOf({ plan: hash, ...(loses_data && { allow_data_loss: 'true' }) });
  await authorized('POST', `/api/schema${query}`, { schemas });
}

/** Returns whether applying failed because another change came first. */
export function isPlanChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'plan_changed';
}

/** Removes a schema. Fails if the plan has changed since. */
export async function removeSchema(name: string, { hash }: Pick<SchemaPlan, 'hash'>): Promise<void> {
  const query = queryOf({ plan: hash, allow_data_loss: 'true' });
  await authorized('DELETE', `/api/schema/${encodeURIComponent(name)}${query}`);
}

/** Undoes the change that created a version. Fails if there is a newer version. */
export async function undoVersion(version: number): Promise<void> {
  await authorized('POST', '/api/schema/undo', undefined, { headers: { 'If-Match': `"${version}"` } });
}

async function plan(body: object, query: Readonly<Record<string, string>>): Promise<SchemaPlan> {
  return (await authorized<{ data: SchemaPlan }>('POST', `/api/schema/plan${queryOf(query)}`, body)).data;
}

function backRefsOf({ backRefs }: ChangeOptions): Readonly<Record<string, string>> {
  return backRefs ? { back_refs: 'create' } : {};
}

function queryOf(entries: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(entries).toString();
  return query && `?${query}`;
}

export interface RefusedStep {
  readonly words: string;
  readonly rows?: number;
}

export function refusedSteps(error: unknown): readonly RefusedStep[] {
  const steps = error instanceof ApiError ? error.data['steps'] : undefined;
  return Array.isArray(steps) ? (steps as readonly RefusedStep[]) : [];
}
