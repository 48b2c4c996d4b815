import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Reading } from '../../../kernel/metrics.js';
import type { PrincipalPermissions } from '../../../kernel/permission-rules.js';
import type { FieldType } from '../../../kernel/schema-definition.types.js';
import { Measures } from '../../../platform/metrics/measures.decorator.js';
import type { QueryShape } from '../../model/schema-model.types.js';
import { contextOf, type RequestContext, type SchemaContext, schemaFor } from '../content-context.service.js';
import { type LinkedRecords, linkedRecords, planList, planRecord } from '../plan/plan-list.js';
import type { ListPlan, PlannedRecord } from '../plan/query-plan.types.js';
import { shapeOfList } from '../plan/shape-of-list.js';
import { renderList, renderRecordQuery } from '../render/render-query.js';
import type { SqlStatement } from '../render/sql-writer.js';
import type { ListQuery, RecordQuery } from '../request/list-query.types.js';
import { parseListQuery, parseRecordQuery, type RawQuery } from '../request/parse-list-query.js';
import { QueryFaults } from '../request/query-faults.js';
import { primaryOf, Placeholder, type PlaceholderName, Placeholders } from '../resolve/sql-values.js';
import type { ContentAction } from '../resolve/conditions.js';

/** Maximum characters of cached keys and statements. @internal */
const MAX_CHARACTERS = 16_000_000;

export type CursorKeys = readonly (string | null)[];

export interface PreparedStatement extends SqlStatement {
  readonly placeholders: readonly (readonly [index: number, name: PlaceholderName])[];
}

interface PlannedRead {
  readonly statement: PreparedStatement;
  readonly record: PlannedRecord;
}

/** A parsed, authorized and rendered request. It is shared by all callers with the same permissions and the same query. */
interface CompiledQuery {
  readonly read: PlannedRead;
}

interface CompileContext extends SchemaContext {
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

/** Cache of compiled read requests. A repeated request is not parsed, planned or rendered again. */
@Injectable()
export class CompiledQueries {
  private readonly lists = createCache<CompiledList>();
  private readonly linked = createCache<CompiledRelated>();
  private readonly records = createCache<CompiledRecordQuery>();
  private readonly numbers = new WeakMap<PrincipalPermissions, number>();
  private lastNumber = 0;

  /** Throws `query_invalid`, `permission_denied`, `token_missing` or `schema_not_found`. */
  list(requestContext: RequestContext, name: string, raw: RawQuery, readCursor: CursorReader): CompiledList {
    const query = withoutCursor(raw);
    return this.cached(this.lists, requestContext, 'list', [name, query], (context) =>
      compileList(context, query, readCursor),
    );
  }

  /** Throws the errors of {@link list}, and `record_not_found` for a relation that cannot be read. */
  related(
    requestContext: RequestContext,
    name: string,
    relation: string,
    raw: RawQuery,
    readCursor: CursorReader,
  ): CompiledRelated {
    const query = withoutCursor(raw);
    return this.cached(this.linked, requestContext, 'get', [name, query, relation], (context) =>
      compileRelated(context, relation, query, readCursor),
    );
  }

  record(requestContext: RequestContext, name: string, raw: RawQuery): CompiledRecordQuery {
    return this.cached(this.records, requestContext, 'get', [name, raw], (context) => compileRecordQuery(context, raw));
  }

  @Measures({ name: 'lintel_queries_compiled', help: 'Lookups of compiled read queries, by kind and result.' })
  compiled(): readonly Reading[] {
    return [
      { labels: { of: 'list' }, value: this.lists.size },
      { labels: { of: 'relation' }, value: this.linked.size },
      { labels: { of: 'record' }, value: this.records.size },
    ];
  }

  /** Compiles a query once. It is not cached if compilation used a value of this request. */
  private cached<Query extends CompiledQuery>(
    cache: LRUCache<string, Query>,
    requestContext: RequestContext,
    action: ContentAction,
    request: readonly [name: string, query: RawQuery, relation?: string],
    compile: (context: CompileContext) => Query,
  ): Query {
    const { snapshot, permissions, principal } = requestContext;
    const key = `${snapshot.version} ${this.numberOf(permissions)} ${principal.kind} ${JSON.stringify(request)}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const context = compileContext(requestContext);
    const compiled = compile({ ...context, schema: schemaFor(context, request[0], action) });
    if (!context.placeholders.isForOneRequest) cache.set(key, compiled);
    return compiled;
  }

  private numberOf(permissions: PrincipalPermissions): number {
    const number = this.numbers.get(permissions) ?? (this.lastNumber += 1);
    this.numbers.set(permissions, number);
    return number;
  }
}

function withoutCursor(raw: RawQuery): RawQuery {
  return typeof raw['cursor'] === 'string' ? { ...raw, cursor: '' } : raw;
}

function createCache<Query extends CompiledQuery>(): LRUCache<string, Query> {
  const sizeCalculation = ({ read }: Query, key: string): number => key.length + 2 * read.statement.text.length;
  return new LRUCache({ maxSize: MAX_CHARACTERS, sizeCalculation });
}

/** Values of the account and the time are placeholders. All guests share a query. */
function compileContext(requestContext: RequestContext): Omit<CompileContext, 'schema'> {
  const { auth, now, principal } = requestContext;
  const placeholders = new Placeholders({ now, 'auth.id': auth.id, 'auth.email': auth.email });
  const isGuest = principal.kind === 'guest';
  const person = isGuest
    ? auth
    : { ...auth, id: placeholders.value('auth.id'), email: placeholders.value('auth.email') };
  return { ...contextOf(requestContext, { auth: person, now: placeholders.value('now') }), placeholders };
}

/** @throws AppError `query_invalid` with all errors; `permission_denied`. */
function compileRecordQuery(context: CompileContext, raw: RawQuery): CompiledRecordQuery {
  const { schema, fields, placeholders, limits } = context;
  const faults = new QueryFaults(limits);
  const query = parseRecordQuery(raw, faults);
  assertMaySeeDeleted(context, query);
  const plan = planRecord(schema, placeholders.value('key'), query, fields, faults);
  faults.assertNone();
  if (plan === null) throw new TypeError('A placeholder is always a key.');
  const read = { statement: prepareStatement(renderRecordQuery(plan)), record: plan.record };
  return { read, keyType: primaryOf(schema).type };
}

/**
 * @param readCursor called early if the query has errors, to report a wrong cursor together with them.
 * @param linked limits the list to the records of one relation of one record.
 * @throws AppError `query_invalid` with all errors; `permission_denied`.
 */
function compileList(
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
function compileRelated(
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
  return { ...list, keyType: primaryOf(schema).type, target: relation.target.name };
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
