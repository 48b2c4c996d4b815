import type { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { fieldType } from '../../model/field-types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { type ContentContexts, filteredBy, type SchemaContext, schemaFor } from '../content-context.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { type ImportQuery, parseImportQuery } from '../request/parse-import-query.js';
import { QueryFaults, queryInvalid } from '../request/query-faults.js';
import { allOf, type Condition } from '../resolve/conditions.js';
import { isWritable } from '../resolve/content-access.js';
import { hasKeyAmong } from '../resolve/sql-values.js';
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

/** Types in which each value has exactly one text form. */
const FAMILIES = new Set(['string', 'uuid', 'integer', 'enum']);

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

/**
 * Returns the field that identifies existing records; null if all are new.
 *
 * @throws AppError `query_invalid` for a field that is not unique, or by which the principal may not filter.
 */
function importKey(context: SchemaContext, { mode, key }: ImportQuery): LinkedValueField | null {
  if (mode === 'create') return null;
  const { schema, limits } = context;
  const name = key ?? schema.primaryField;
  const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (field?.kind !== 'value' || !isDistinguishing(field, schema)) throw queryInvalid(limits, name, 'unknown_field');
  recordsOf(context, field, []);
  return field;
}

export function isDistinguishing(field: LinkedValueField, { primaryField }: LinkedSchema): boolean {
  return (field.unique || field.name === primaryField) && FAMILIES.has(fieldType(field.type).family);
}

/**
 * Returns the condition for records with these keys that may be changed. The primary key works as in a single update; another field
 * requires permission to list.
 */
export function recordsOf(context: SchemaContext, field: LinkedValueField, keys: readonly string[]): Condition {
  const { schema, fields, limits } = context;
  if (field.name === schema.primaryField) return allOf([hasKeyAmong(schema, keys), fields.visible(schema, 'update')]);
  const node = { kind: 'condition', path: [field.name], operator: 'in', values: keys } as const;
  return filteredBy(context, node, 'update', new QueryFaults(limits));
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
    return await contexts.retryOnSchemaChange(async () => {
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
