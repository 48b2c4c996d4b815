import type { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import { type ContentContexts, type SchemaContext, schemaFor } from '../content-context.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { type ImportQuery, parseImportQuery } from '../request/parse-import-query.js';
import { isWritable } from '../resolve/content-access.js';
import { ImportBodies } from './import-bodies.js';
import type { ImportFaults } from './import-faults.js';
import { importKey } from './import-key.js';
import type { ImportScope } from './row-writes.js';
import { inTransaction, type WriteTransaction } from '../write/transaction/in-transaction.js';

export interface ImportRequest {
  readonly principal: Principal;
  readonly origin?: RequestOrigin;
  /** Name or namespace of a schema. */
  readonly schema: string;
  readonly query: RawQuery;
  readonly mediaType: string;
}

export interface OpenedImport {
  readonly context: SchemaContext;
  readonly query: ImportQuery;
  readonly actions: readonly ('create' | 'update')[];
  readonly key: LinkedValueField | null;
}

const ACTIONS = { create: ['create'], update: ['update'], upsert: ['create', 'update'] } as const;

/** @throws AppError errors of a create; `query_invalid`; `permission_denied` if keys are kept and the caller is not root. */
export async function openImport(
  contexts: ContentContexts,
  { principal, origin, schema, query: raw, mediaType }: ImportRequest,
): Promise<OpenedImport> {
  if (principal.kind === 'guest') throw new AppError('token_missing');
  const query = parseImportQuery(raw, mediaType, contexts.limits);
  const actions = ACTIONS[query.mode];
  const context = { ...(await contexts.openSchema(principal, schema, actions[0])), origin };
  for (const action of actions) {
    schemaFor(context, schema, action);
    if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
  }
  if (query.keepsGeneratedValues && !context.permissions.root) throw new AppError('permission_denied');
  return { context, query, actions, key: importKey(context, query) };
}

class Undone<T> extends Error {
  constructor(readonly result: T) {
    super('A dry run leaves nothing.');
  }
}

/**
 * Opens an import and runs work in one transaction.
 *
 * @param isUndone true to check the written records and to roll back. The result of the work is returned.
 */
export async function inImport<T>(
  contexts: ContentContexts,
  changes: ChangeNotifier,
  request: ImportRequest,
  work: (transaction: WriteTransaction, opened: OpenedImport) => Promise<T>,
  isUndone: (opened: OpenedImport) => boolean = () => false,
): Promise<T> {
  try {
    return await contexts.onNewest(async () => {
      const opened = await openImport(contexts, request);
      return inTransaction(changes, opened.context, { isDelete: false, request: {} }, async (transaction) => {
        const result = await work(transaction, opened);
        if (!isUndone(opened)) return result;
        await transaction.ruleChecks.settle();
        throw new Undone(result);
      });
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}

export function importScope(
  { context, query, actions, key }: OpenedImport,
  transaction: WriteTransaction,
  faults: ImportFaults,
  { createdRecords = null, skipsFaulty = false }: Partial<Pick<ImportScope, 'createdRecords' | 'skipsFaulty'>> = {},
): ImportScope {
  const { keepsGeneratedValues, mode } = query;
  const bodies = new ImportBodies(context, { keepsGeneratedValues, actions, key: key?.name ?? null });
  const counts = { created: 0, updated: 0 };
  const touched = { others: false };
  const createsRows = mode !== 'update';
  return { transaction, context, bodies, faults, key, createsRows, counts, createdRecords, skipsFaulty, touched };
}
