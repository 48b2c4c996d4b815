import type { ToldBulkChange } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import type { Filter } from '../filter/filter-tree.js';
import { type RecordValues, writtenValues } from './record-changes.js';
import type { RecordSchema } from './record-schema.js';

/** Has all records of a filter changed, or deleted where there are no values, in the background. */
export function beginBulkChange(
  schema: RecordSchema,
  filter: Filter,
  values: RecordValues | null,
): Promise<ToldBulkChange> {
  const what = values === null ? { action: 'delete' } : { action: 'update', values: writtenValues(values) };
  return told('POST', '/api/bulk-changes', { schema: schema.name, filter, ...what });
}

/** Returns the changes of many records of who is signed in, the newest first. */
export const listBulkChanges = async (): Promise<readonly ToldBulkChange[]> =>
  (await authorized<{ data: ToldBulkChange[] }>('GET', '/api/bulk-changes')).data;

/** Ends a change; what is done stays. */
export const cancelBulkChange = (id: string): Promise<ToldBulkChange> =>
  told('POST', `/api/bulk-changes/${id}/cancel`, {});

const told = async (method: string, path: string, body: object): Promise<ToldBulkChange> =>
  (await authorized<{ data: ToldBulkChange }>(method, path, body)).data;
