import type { BulkChange } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import type { Filter } from '../filter/filter-tree.js';
import { type RecordValues, writtenValues } from './record-changes.js';
import type { RecordSchema } from './record-schema.js';

export type BulkAction =
  | { readonly kind: 'edit'; readonly values: RecordValues }
  | { readonly kind: 'delete' }
  | { readonly kind: 'restore' };

/** Starts a bulk change of all records that match a filter, as a background job. A restore applies to deleted records. */
export function startBulkChange(schema: RecordSchema, filter: Filter, action: BulkAction): Promise<BulkChange> {
  const what =
    action.kind === 'edit' ? { action: 'update', values: writtenValues(action.values) } : { action: action.kind };
  return request('POST', '/api/bulk-changes', { schema: schema.name, filter, ...what });
}

export const listBulkChanges = async (): Promise<readonly BulkChange[]> =>
  (await authorized<{ data: BulkChange[] }>('GET', '/api/bulk-changes')).data;

/** Cancels a bulk change. Records that were already changed stay changed. */
export const cancelBulkChange = (id: string): Promise<BulkChange> =>
  request('POST', `/api/bulk-changes/${id}/cancel`, {});

const request = async (method: string, path: string, body: object): Promise<BulkChange> =>
  (await authorized<{ data: BulkChange }>(method, path, body)).data;
