import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { ContentCipher } from '../../../kernel/keys/content-cipher.js';
import { defineKeyPurpose, deriveKey } from '../../../kernel/keys/key-derivation.js';
import type { Principal } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { SeenQueries } from '../../schema/advise/seen-queries.service.js';
import { findSchema } from '../../schema/schema.public.js';
import { cursorAnswer, listAnswer, recordAnswer, type RecordBody, withGetters } from '../answers.js';
import { ContentContexts, type RequestContext } from '../content-context.service.js';
import { afterGroup, planAggregate } from '../plan/plan-list.js';
import { renderAggregate } from '../render/render-aggregate.js';
import type { SqlStatement } from '../render/sql-writer.js';
import { parseAggregateQuery, type RawQuery } from '../request/parse-list-query.js';
import { QueryFaults } from '../request/query-faults.js';
import { keyValue } from '../resolve/sql-values.js';
import {
  CompiledQueries,
  type CompiledList,
  type CompiledRecordQuery,
  type CursorKeys,
  type CursorReader,
  type PreparedStatement,
} from './compiled-queries.service.js';
import { ContentStatements, type ReadOptions } from './content-statements.js';

export interface RelatedPath {
  readonly schema: string;
  readonly id: string;
  readonly relation: string;
}

export interface RelatedBody {
  readonly body: string;
  readonly target: string;
}

/** Reads records. Each request is one statement, and PostgreSQL renders the response JSON. */
@Injectable()
export class ContentReading {
  private readonly cursors: ContentCursors;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly contexts: ContentContexts,
    private readonly queries: CompiledQueries,
    private readonly statements: ContentStatements,
    private readonly seen: SeenQueries,
  ) {
    this.cursors = new ContentCursors(config.appKey);
  }

  /** Reads a list. Throws `query_invalid`, `permission_denied`, `token_missing` or `schema_not_found`. */
  async list(principal: Principal, name: string, raw: RawQuery, options: ReadOptions = {}): Promise<string> {
    return this.contexts.retryOnSchemaChange(async () => {
      const requestContext = await this.contexts.requestContext(principal);
      const start: CursorReader = (belongsTo, faults) => this.cursors.read(raw, belongsTo, faults);
      const compiled = this.queries.list(requestContext, name, raw, start);
      return this.page(requestContext, compiled, start, options);
    });
  }

  /** Throws the errors of {@link list}, and `record_not_found`. */
  async get(
    principal: Principal,
    name: string,
    id: string,
    raw: RawQuery,
    options: ReadOptions = {},
  ): Promise<RecordBody> {
    return this.contexts.retryOnSchemaChange(async () => {
      const requestContext = await this.contexts.requestContext(principal);
      const compiled = this.queries.record(requestContext, name, raw);
      const { statement, record } = compiled.read;
      const bound = bindPlaceholders(statement, requestContext, keyIn(compiled, id));
      const [columns] = await this.statements.read(bound, options);
      if (columns === undefined) throw new AppError('record_not_found');
      const [item, version] = columns;
      return { body: recordAnswer(withGetters(item ?? 'null', record, requestContext)), version: version ?? '' };
    });
  }

  /**
   * Reads the list of a to-many relation of a record. Throws the errors of {@link list}, and `record_not_found` for a record or relation
   * that the caller cannot read.
   */
  async related(
    principal: Principal,
    path: RelatedPath,
    raw: RawQuery,
    options: ReadOptions = {},
  ): Promise<RelatedBody> {
    return this.contexts.retryOnSchemaChange(async () => {
      const requestContext = await this.contexts.requestContext(principal);
      const start: CursorReader = (belongsTo, faults) => this.cursors.read(raw, belongsTo, faults);
      const compiled = this.queries.related(requestContext, path.schema, path.relation, raw, start);
      const body = await this.page(requestContext, compiled, start, options, keyIn(compiled, path.id));
      return { body, target: compiled.target };
    });
  }

  /** Reads aggregates of records. Throws the errors of {@link list}. */
  async aggregate(principal: Principal, name: string, raw: RawQuery, options: ReadOptions = {}): Promise<string> {
    return this.contexts.retryOnSchemaChange(async () => {
      const context = await this.contexts.openSchema(principal, name, 'aggregate');
      const faults = new QueryFaults(context.limits);
      const plan = planAggregate(context.schema, parseAggregateQuery(raw, faults), context.fields, faults);
      const scope = JSON.stringify(['aggregate', context.schema.id, ...plan.groups.map(({ identity }) => identity)]);
      const keys = this.cursors.read(raw, scope, faults);
      faults.assertNone();
      const page = renderAggregate(keys === null ? plan : afterGroup(plan, keys));
      const [[items = null, size = null, last = null] = []] = await this.statements.read(page, options);
      const next = plan.groups.length === 0 ? null : this.cursors.next(last, Number(size), plan.limit, scope);
      return `{"data":${items ?? '[]'},"next_cursor":${JSON.stringify(next)}}`;
    });
  }

  /** Returns true if clients may cache responses of the schema. System schemas such as accounts and sessions are not cacheable. */
  isCacheable(name: string): boolean {
    return findSchema(this.contexts.snapshot, name)?.system === false;
  }

  private async page(
    requestContext: RequestContext,
    compiled: CompiledList,
    start: CursorReader,
    options: ReadOptions,
    key?: unknown,
  ): Promise<string> {
    const { query, scope, shape } = compiled;
    const faults = new QueryFaults(requestContext.limits);
    const cursor = start(scope, faults);
    faults.assertNone();
    const { statement, record } = cursor === null ? compiled.read : compiled.after(cursor);
    const bound = bindPlaceholders(statement, requestContext, key, cursor ?? []);
    const startedAt = performance.now();
    const [row = []] = await this.statements.read(bound, options);
    if (shape !== null) this.seen.note(shape, performance.now() - startedAt);
    const [found = null, size = null, last = null, total = null, parentExists = null] = row;
    if (parentExists === 'false') throw new AppError('record_not_found');
    const items = withGetters(found ?? '[]', record, requestContext);
    if (query.cursor === null) return listAnswer(items, total, query);
    return cursorAnswer(items, this.cursors.next(last, Number(size), query.limit, scope), query);
  }
}

/** Parses the key from the URL path. Throws `record_not_found` if it is not valid for the type. */
function keyIn(compiled: Pick<CompiledRecordQuery, 'keyType'>, id: string): unknown {
  const key = keyValue(id, compiled.keyType);
  if (key === undefined) throw new AppError('record_not_found');
  return key;
}

function bindPlaceholders(
  { text, parameters, placeholders }: PreparedStatement,
  { auth, now }: RequestContext,
  key: unknown,
  cursor: CursorKeys = [],
): SqlStatement {
  if (placeholders.length === 0) return { text, parameters };
  const values = [...parameters];
  for (const [index, name] of placeholders)
    if (name === 'key') values[index] = key;
    else if (name === 'now') values[index] = now.toISOString();
    else if (name === 'auth.id') values[index] = auth.id;
    else values[index] = name === 'auth.email' ? auth.email : cursor[Number(name.slice('cursor.'.length))];
  return { text, parameters: values };
}

const CURSOR_KEY = defineKeyPurpose('cursor', 'dies');

/**
 * Encodes and decodes cursors: the keys of the last record, encrypted together with their scope. Keys may be values that the reader may not
 * see, such as the primary key that ends every sort order. The scope is the schema and the order that the keys belong to.
 */
class ContentCursors {
  private readonly cipher: ContentCipher;

  constructor(appKey: Config['appKey']) {
    this.cipher = new ContentCipher(deriveKey(appKey, CURSOR_KEY));
  }

  read({ cursor }: RawQuery, scope: string, faults: QueryFaults): CursorKeys | null {
    if (typeof cursor !== 'string' || cursor === '') return null;
    const sealed = Buffer.from(cursor, 'base64url');
    const isPlain = sealed.toString('base64url') === cursor;
    const keys = isPlain ? (this.cipher.open(scope, sealed) as CursorKeys | null) : null;
    if (keys === null) faults.add('cursor', 'malformed', 'is not a cursor of this list');
    return keys;
  }

  /**
   * Returns the cursor of the next page; null on the last page.
   *
   * @param last JSON of the sort keys of the last record.
   * @param found number of records found. A cursor page reads one more than its limit.
   */
  next(last: string | null, found: number, limit: number, scope: string): string | null {
    if (last === null || found <= limit) return null;
    return this.cipher.seal(scope, JSON.parse(last) as CursorKeys).toString('base64url');
  }
}
