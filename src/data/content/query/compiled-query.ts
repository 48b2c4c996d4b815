import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { CursorKeys } from '../answer/cursor-token.js';
import type { RequestContext, SchemaContext } from '../content-context.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type PreparedStatement, prepareStatement } from './prepared-statement.js';
import { keyValue, planList, planRecord } from '../plan/plan-list.js';
import { type LinkedRecords, linkedRecords } from '../plan/plan-related.js';
import type { ListPlan, PlannedRecord } from '../plan/query-plan.types.js';
import { shapeOfList } from '../plan/shape-of-list.js';
import { renderList, renderRecordQuery } from '../render/render-query.js';
import type { ListQuery, RecordQuery } from '../request/list-query.types.js';
import { QueryFaults } from '../request/query-faults.js';
import type { PlaceholderName, Placeholders } from '../resolve/placeholder.js';
import type { QueryShape } from '../../model/query-shape.types.js';

/** A statement that answers a request, and what it answers of each record. */
export interface PlannedRead {
  readonly statement: PreparedStatement;
  readonly record: PlannedRecord;
}

/** A request that was read, judged and made into a statement: for everyone with the same permissions who asks the same. */
export interface CompiledQuery {
  readonly read: PlannedRead;
}

/** The context of a request that a query is compiled in with placeholders for what is not the same for all. */
export interface CompileContext extends SchemaContext {
  readonly placeholders: Placeholders;
}

/** Reads the cursor of a request as one of a scope; null if there is none. One of another scope is noted. */
export type CursorReader = (scope: string, faults: QueryFaults) => CursorKeys | null;

/** A record by its key. */
export interface CompiledRecordQuery extends CompiledQuery {
  readonly keyType: FieldType;
}

/** A list. */
export interface CompiledList extends CompiledQuery {
  readonly query: ListQuery;
  /** Scope of its cursors: the schema and the fields of the order, by their stable ids and types. */
  readonly scope: string;
  /** Shape of its query to its table; null for nothing that an index could answer. */
  readonly shape: QueryShape | null;
  /** Returns what answers the page after these keys. */
  readonly after: (keys: CursorKeys) => PlannedRead;
}

/** The list of the records that a relation of a record leads to. */
export interface CompiledRelated extends CompiledList {
  /** Type of the key of the record. */
  readonly keyType: FieldType;
  /** The schema of the listed records. */
  readonly target: string;
}

/**
 * Compiles the query of a record.
 *
 * @param faults what is wrong with the query so far.
 * @throws AppError `query_invalid` with everything that is wrong; `permission_denied`.
 */
export function compileRecordQuery(
  context: CompileContext,
  query: RecordQuery,
  faults: QueryFaults,
): CompiledRecordQuery {
  assertMaySeeDeleted(context, query);
  const { schema, fields, placeholders } = context;
  const plan = planRecord(schema, placeholders.value('key'), query, fields, faults);
  faults.assertNone();
  if (plan === null) throw new TypeError('A placeholder is always a key.');
  const read = { statement: prepareStatement(renderRecordQuery(plan)), record: plan.record };
  return { read, keyType: fields.primary(schema).type };
}

/**
 * Compiles the query of a list.
 *
 * @param faults what is wrong with the query so far.
 * @param readCursor notes a cursor of another scope, where something else is wrong, too.
 * @param linked limits the list to the records of one relation of one record.
 * @throws AppError `query_invalid` with everything that is wrong; `permission_denied`.
 */
export function compileList(
  context: CompileContext,
  query: ListQuery,
  faults: QueryFaults,
  readCursor: CursorReader,
  linked: LinkedRecords | null = null,
): CompiledList {
  assertMaySeeDeleted(context, query);
  const { schema, fields, placeholders } = context;
  const rendered = (plan: ListPlan): PlannedRead => {
    return { statement: prepareStatement(renderList(plan)), record: plan.record };
  };
  const first = planList(schema, query, fields, null, faults, linked);
  const scope = JSON.stringify([schema.id, ...first.sort.map(({ identity, descending }) => [identity, descending])]);
  if (!faults.isEmpty) readCursor(scope, faults);
  faults.assertNone();
  // An empty key is another statement than one with a value.
  const pages = new Map<string, PlannedRead>();
  const after = (keys: CursorKeys): PlannedRead => {
    const which = keys.map((key) => (key === null ? '-' : '+')).join('');
    const known = pages.get(which);
    if (known !== undefined) return known;
    const bound = keys.map((key, at) => (key === null ? null : placeholders.value(`cursor.${at}`)));
    const unfit = new QueryFaults(query.limits);
    const page = rendered(planList(schema, query, fields, bound, unfit, linked));
    unfit.assertNone();
    pages.set(which, page);
    return page;
  };
  return { read: rendered(first), query, scope, shape: shapeOfList(schema, first), after };
}

/**
 * Compiles the list of the records that a relation to many leads to.
 *
 * @param name the relation. One that is not there, cannot be read or leads to one record is `record_not_found`.
 * @throws AppError as {@link compileList}.
 */
export function compileRelated(
  context: CompileContext,
  name: string,
  query: ListQuery,
  faults: QueryFaults,
  readCursor: CursorReader,
): CompiledRelated {
  const { schema, fields, placeholders } = context;
  const relation = fields.relation(schema, 'get', name, 'read');
  if (relation === null || !relation.field.many) throw new AppError('record_not_found');
  const linked = linkedRecords(schema, relation, placeholders.value('key'), fields);
  const list = compileList({ ...context, schema: relation.target }, query, faults, readCursor, linked);
  return { ...list, keyType: fields.primary(schema).type, target: relation.target.name };
}

/** Returns what is bound to the placeholders for one request. */
export function placeholderValues(
  { auth, now }: RequestContext,
  { key, cursor = [] }: { readonly key?: unknown; readonly cursor?: CursorKeys },
): (name: PlaceholderName) => unknown {
  return (name) => {
    if (name === 'key') return key;
    if (name === 'now') return now.toISOString();
    if (name === 'auth.id') return auth.id;
    return name === 'auth.email' ? auth.email : cursor[Number(name.slice('cursor.'.length))];
  };
}

/** Returns the key of a record as it stands in a path. Throws `record_not_found` for what no record can have. */
export function keyIn(compiled: Pick<CompiledRecordQuery, 'keyType'>, id: string): unknown {
  const key = keyValue(id, compiled.keyType);
  if (key === undefined) throw new AppError('record_not_found');
  return key;
}

/** Throws unless deleted records may be seen: who may restore records may see those. */
export function assertMaySeeDeleted({ access, schema }: SchemaContext, { withDeleted }: RecordQuery): void {
  if (withDeleted && access(schema, 'restore').grants.length === 0) throw new AppError('permission_denied');
}
