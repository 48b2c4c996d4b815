import { ApiError } from '../../api/api-error.js';
import type { ConversionNote, SchemaDefinition, SchemaPlan, SchemaVersion } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import { definitionsOf, readFiles, type Source } from './brought-in.js';
import { type SchemaFault, schemaFaults } from './schema-faults.js';

/** Under which key everything of the schemas is kept. */
export const MODEL = ['account', 'model'];

/** Search in the address of the page of all schemas. */
export interface ModelSearch {
  /** The schema that was changed just now. */
  readonly applied?: string;
  /** `diagram` for that; else they are listed. */
  readonly view?: string;
  /** Around which schema the diagram is. */
  readonly around?: string;
}

/** Options of a change. */
export interface ChangeOptions {
  /** Adds the other side of relations where it is missing. */
  readonly backRefs: boolean;
}

/** Returns all schemas, those of the service too. */
export const listSchemas = async (): Promise<SchemaDefinition[]> =>
  (await authorized<{ data: SchemaDefinition[] }>('GET', '/api/schema')).data;

/** Returns the versions, newest first. */
export const listVersions = async (): Promise<SchemaVersion[]> =>
  (await authorized<{ data: SchemaVersion[] }>('GET', '/api/schema/history?limit=20')).data;

/** Checks a definition, and answers what is wrong with it. */
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

/** Returns what a definition would change. */
export const planChange = (definition: SchemaDefinition, options: ChangeOptions): Promise<SchemaPlan> =>
  plan(definition, backRefsOf(options));

/** Returns what the removal of a schema would take along. */
export const planRemoval = (name: string): Promise<SchemaPlan> => plan([], { remove: name });

/** Applies a plan, and no other. */
export async function applyChange(
  definition: SchemaDefinition,
  { hash, loses_data }: Pick<SchemaPlan, 'hash' | 'loses_data'>,
  options: ChangeOptions,
): Promise<void> {
  const query = queryOf({ plan: hash, ...(loses_data && { allow_data_loss: 'true' }), ...backRefsOf(options) });
  await authorized('POST', `/api/schema${query}`, definition);
}

/** Schemas that were read out of files. */
export interface BroughtIn {
  readonly schemas: readonly object[];
  readonly notes: readonly ConversionNote[];
  readonly faults: readonly SchemaFault[];
}

/** Reads schemas out of files: ours as they are, others by the converters of the service, which change nothing. @throws SyntaxError where one of ours is no JSON. */
export async function bringIn(source: Source, chosen: readonly File[]): Promise<BroughtIn> {
  const files = await readFiles(source, chosen);
  if (source === 'lintel') return { schemas: definitionsOf(files), notes: [], faults: [] };
  return (await authorized<{ data: BroughtIn }>('POST', '/api/schema/convert', { source, files })).data;
}

/** Returns what many definitions at once would change. */
export const planSchemas = (schemas: readonly object[]): Promise<SchemaPlan> => plan({ schemas }, {});

/** Applies many definitions at once by a plan, and no other. */
export async function applySchemas(
  schemas: readonly object[],
  { hash, loses_data }: Pick<SchemaPlan, 'hash' | 'loses_data'>,
): Promise<void> {
  const query = queryOf({ plan: hash, ...(loses_data && { allow_data_loss: 'true' }) });
  await authorized('POST', `/api/schema${query}`, { schemas });
}

/** Returns whether a plan was refused because somebody else was faster. */
export function isPlanChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'plan_changed';
}

/** Removes a schema by a plan, and no other. */
export async function removeSchema(name: string, { hash }: Pick<SchemaPlan, 'hash'>): Promise<void> {
  const query = queryOf({ plan: hash, allow_data_loss: 'true' });
  await authorized('DELETE', `/api/schema/${encodeURIComponent(name)}${query}`);
}

/** Takes back the change that made a version; refused where there is a newer one. */
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

/** Refused step: what it would do, and to how many rows. */
export interface RefusedStep {
  readonly words: string;
  readonly rows?: number;
}

/** Returns the steps that a refusal names. */
export function refusedSteps(error: unknown): readonly RefusedStep[] {
  const steps = error instanceof ApiError ? error.data['steps'] : undefined;
  return Array.isArray(steps) ? (steps as readonly RefusedStep[]) : [];
}
