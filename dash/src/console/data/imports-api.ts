import type { FaultPage, ToldImport } from '../../api/openapi.js';
import type { OnSent } from '../../api/upload.js';
import { authorized } from '../../session/authorized.js';
import type { RecordSchema } from './record-schema.js';

/** Options by which a file is brought in. */
export interface ImportOptions {
  readonly mode: 'create' | 'update' | 'upsert';
  /** The field by which records that are there are found. */
  readonly key: string;
  readonly delimiter: 'comma' | 'semicolon' | 'tab';
  /** Targets of the columns of CSV whose names are no fields; null for none. */
  readonly columns: string | null;
}

/** Sends a file, and has it checked; nothing of it is written yet. */
export async function beginImport(
  schema: RecordSchema,
  file: Blob,
  format: string,
  { mode, key, delimiter, columns }: ImportOptions,
  onSent: OnSent,
): Promise<ToldImport> {
  const query = new URLSearchParams({
    schema: schema.name,
    format,
    ...(format === 'csv' && { delimiter }),
    ...(columns !== null && { columns }),
    ...(mode !== 'create' && { mode, key }),
  });
  const typed = new Blob([file], { type: 'application/octet-stream' });
  return told('POST', `/api/imports?${query.toString()}`, typed, { onSent });
}

/** Returns the imports of who is signed in, the newest first. */
export const listImports = async (): Promise<readonly ToldImport[]> =>
  (await authorized<{ data: ToldImport[] }>('GET', '/api/imports')).data;

/** Goes on with an import, in one of the ways that are open. */
export const goOn = (id: string, verb: 'check' | 'apply' | 'cancel' | 'undo', body: object = {}): Promise<ToldImport> =>
  told('POST', `/api/imports/${id}/${verb}`, body);

/** Forgets an import, with what is left of its rows. */
export const forgetImport = (id: string): Promise<void> => authorized('DELETE', `/api/imports/${id}`);

/** Returns the first faults of an import. */
export const readImportFaults = async (id: string): Promise<FaultPage> =>
  (await authorized<{ data: FaultPage }>('GET', `/api/imports/${id}/faults`)).data;

/** Returns all faults of an import as CSV. */
export const saveImportFaults = (id: string): Promise<Blob> =>
  authorized('GET', `/api/imports/${id}/faults?format=csv`, undefined, { file: true });

const told = async (
  method: string,
  path: string,
  body: object,
  options: { readonly onSent?: OnSent } = {},
): Promise<ToldImport> => (await authorized<{ data: ToldImport }>(method, path, body, options)).data;
