import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { CursorKeys } from './content-cursors.service.js';
import type { RequestContext, SchemaContext } from '../content-context.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { keyValue } from '../resolve/keys.js';
import { planList, planRecord } from '../plan/plan-list.js';
import { type LinkedRecords, linkedRecords } from '../plan/plan-related.js';
import type { ListPlan, PlannedRecord } from '../plan/query-plan.types.js';
import { shapeOfList } from '../plan/shape-of-list.js';
import { renderList, renderRecordQuery } from '../render/render-query.js';
import type { ListQuery, RecordQuery } from '../request/list-query.types.js';
import { parseListQuery, parseRecordQuery, type RawQuery } from '../request/parse-list-query.js';
import { QueryFaults } from '../request/query-faults.js';
import { Placeholder, type PlaceholderName, type Placeholders } from '../resolve/placeholder.js';
import type { SqlStatement } from '../render/sql-writer.js';
import type { QueryShape } from '../../model/schema-model.types.js';

interface PreparedStatement extends SqlStatement {
  readonly placeholders: readonly (readonly [index: number, name: PlaceholderName])[];
}

export interface PlannedRead {
  readonly statement: PreparedStatement;
  readonly record: PlannedRecord;
}

/** A parsed, authorized and rendered request. It is shared by all callers with the same permissions and the same query. */
export interface CompiledQuery {
  readonly read: PlannedRead;
}

export interface CompileContext extends SchemaContext {
  readonly placeholders: Placeholders;
}

export type CursorReader = (scope: string, faults: QueryFaults) => CursorKeys | null;

export interface CompiledRecordQuery extends CompiledQuery {
  readonly keyType: FieldType;
}

export interface CompiledList extends CompiledQuery {
  readonly query: ListQuery;
  /** Scope of its cursors: the schema and the sort fields, by stable ids and types. */
  readonly scope: string;
  /** Query shape for index advice; null if no index could help. */
  readonly shape: QueryShape | null;
  readonly after: (keys: CursorKeys) => PlannedRead;
}

export interface CompiledRelated extends CompiledList {
  readonly keyType: FieldType;
  readonly target: string;
}

/** @throws AppError `query_invalid` with all errors; `permission_denied`. */
export function compileRecordQuery(context: CompileContext, raw: RawQuery): CompiledRecordQuery {
  const { schema, fields, placeholders, limits } = context;
  const faults = new QueryFaults(limits);
  const query = parseRecordQuery(raw, faults);
  assertMaySeeDeleted(context, query);
  const plan = planRecord(schema, placeholders.value('key'), query, fields, faults);
  faults.assertNone();
  if (plan === null) throw new TypeError('A placeholder is always a key.');
  const read = { statement: prepareStatement(renderRecordQuery(plan)), record: plan.record };
  return { read, keyType: fields.primary(schema).type };
}

/**
 * @param readCursor called early if the query has errors, to report a wrong cursor together with them.
 * @param linked limits the list to the records of one relation of one record.
 * @throws AppError `query_invalid` with all errors; `permission_denied`.
 */
export function compileList(
  context: CompileContext,
  raw: RawQuery,
  readCursor: CursorReader,
  linked: LinkedRecords | null = null,
): CompiledList {
  const { schema, fields, placeholders, limits } = context;
  const faults = new QueryFaults(limits);
  const query = parseListQuery(raw, faults);
  assertMaySeeDeleted(context, query);
  const rendered = (plan: ListPlan): PlannedRead => {
    return { statement: prepareStatement(renderList(plan)), record: plan.record };
  };
  const first = planList(schema, query, fields, null, faults, linked);
  const scope = JSON.stringify([schema.id, ...first.sort.map(({ identity, descending }) => [identity, descending])]);
  if (!faults.isEmpty) readCursor(scope, faults);
  faults.assertNone();
  // Null keys need a different statement than other values.
  const pages = new Map<string, PlannedRead>();
  const after = (keys: CursorKeys): PlannedRead => {
    const which = keys.map((key) => (key === null ? '-' : '+')).join('');
    const cached = pages.get(which);
    if (cached !== undefined) return cached;
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
 * Compiles the list of a to-many relation.
 *
 * @param name the relation. If it does not exist, is not readable or is a to-one relation, the error is `record_not_found`.
 * @throws AppError as {@link compileList}.
 */
export function compileRelated(
  context: CompileContext,
  name: string,
  raw: RawQuery,
  readCursor: CursorReader,
): CompiledRelated {
  const { schema, fields, placeholders } = context;
  const relation = fields.relation(schema, 'get', name, 'read');
  if (relation === null || !relation.field.many) throw new AppError('record_not_found');
  const linked = linkedRecords(schema, relation, placeholders.value('key'), fields);
  const list = compileList({ ...context, schema: relation.target }, raw, readCursor, linked);
  return { ...list, keyType: fields.primary(schema).type, target: relation.target.name };
}

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

/** Parses the key from the URL path. Throws `record_not_found` if it is not valid for the type. */
export function keyIn(compiled: Pick<CompiledRecordQuery, 'keyType'>, id: string): unknown {
  const key = keyValue(id, compiled.keyType);
  if (key === undefined) throw new AppError('record_not_found');
  return key;
}

/** Throws unless the caller may restore records of the schema. Only these callers see deleted records. */
export function assertMaySeeDeleted({ access, schema }: SchemaContext, { withDeleted }: RecordQuery): void {
  if (withDeleted && access(schema, 'restore').grants.length === 0) throw new AppError('permission_denied');
}

function prepareStatement({ text, parameters }: SqlStatement): PreparedStatement {
  const placeholders = parameters.flatMap((value, index) =>
    value instanceof Placeholder ? [[index, value.name] as const] : [],
  );
  return { text, parameters, placeholders };
}

export function bindPlaceholders(
  { text, parameters, placeholders }: PreparedStatement,
  valueOf: (name: PlaceholderName) => unknown,
): SqlStatement {
  if (placeholders.length === 0) return { text, parameters };
  const values = [...parameters];
  for (const [index, name] of placeholders) values[index] = valueOf(name);
  return { text, parameters: values };
}
