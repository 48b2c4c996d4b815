import type { FaultPage, RecordImport } from '../../api/openapi.js';
import type { OnSent } from '../../api/upload.js';
import { authorized } from '../../session/authorized.js';
import type { RecordSchema } from './record-schema.js';

export interface ImportOptions {
  readonly mode: 'create' | 'update' | 'upsert';
  /** Field that identifies existing records. */
  readonly key: string;
  readonly delimiter: 'comma' | 'semicolon' | 'tab';
  /** Target fields of CSV columns that are not named like a field, as text; null for none. */
  readonly columns: string | null;
}

export async function startImport(
  schema: RecordSchema,
  file: Blob,
  format: string,
  { mode, key, delimiter, columns }: ImportOptions,
  onSent: OnSent,
): Promise<RecordImport> {
  const query = new URLSearchParams({
    schema: schema.name,
    format,
    ...(format === 'csv' && { delimiter }),
    ...(columns !== null && { columns }),
    ...(mode !== 'create' && { mode, key }),
  });
  const typed = new Blob([file], { type: 'application/octet-stream' });
  return request('POST', `/api/imports?${query.toString()}`, typed, { onSent });
}

export const listImports = async (): Promise<readonly RecordImport[]> =>
  (await authorized<{ data: RecordImport[] }>('GET', '/api/imports')).data;

/** Continues, cancels or undoes an import, depending on its state. */
export const continueImport = (
  id: string,
  verb: 'check' | 'apply' | 'cancel' | 'undo',
  body: object = {},
): Promise<RecordImport> => request('POST', `/api/imports/${id}/${verb}`, body);

export const dismissImport = (id: string): Promise<void> => authorized('DELETE', `/api/imports/${id}`);

export const readImportFaults = async (id: string): Promise<FaultPage> =>
  (await authorized<{ data: FaultPage }>('GET', `/api/imports/${id}/faults`)).data;

export const saveImportFaults = (id: string): Promise<Blob> =>
  authorized('GET', `/api/imports/${id}/faults?format=csv`, undefined, { file: true });

const request = async (
  method: string,
  path: string,
  body: object,
  options: { readonly onSent?: OnSent } = {},
): Promise<RecordImport> => (await authorized<{ data: RecordImport }>(method, path, body, options)).data;
