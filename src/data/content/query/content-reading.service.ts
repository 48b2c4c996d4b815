import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../kernel/principal.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { cursorAnswer, listAnswer, listRow, recordAnswer, type RecordBody, recordRow } from '../answer/answers.js';
import { withGetters } from '../answer/with-getters.js';
import { ContentContexts, type RequestContext } from '../content-context.service.js';
import { ContentCursors } from './content-cursors.service.js';
import { ContentStatements } from './content-statements.js';
import { bindPlaceholders, type CompiledList, type CursorReader, keyIn, placeholderValues } from './compiled-query.js';
import { CompiledQueries } from './compiled-queries.service.js';
import { SeenQueries } from '../../schema/advise/seen-queries.service.js';
import { findSchema } from '../../schema/schema.public.js';
import type { ReadFreshness } from './read-consistency.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { QueryFaults } from '../request/query-faults.js';

export interface RelatedPath {
  readonly schema: string;
  readonly id: string;
  readonly relation: string;
}

export interface RelatedBody {
  readonly body: string;
  readonly target: string;
}

interface ReadOptions {
  readonly within: EntityManager | undefined;
  readonly freshness: ReadFreshness | null | undefined;
  readonly key?: unknown;
}

/** Reads records. Each request is one statement, and PostgreSQL renders the response JSON. */
@Injectable()
export class ContentReading {
  constructor(
    private readonly cursors: ContentCursors,
    private readonly contexts: ContentContexts,
    private readonly queries: CompiledQueries,
    private readonly statements: ContentStatements,
    private readonly seen: SeenQueries,
  ) {}

  /**
   * Reads a list, in the transaction `within` if given, or from a replica if `freshness` is set. Throws `query_invalid`,
   * `permission_denied`, `token_missing` or `schema_not_found`.
   */
  async list(
    principal: Principal,
    name: string,
    raw: RawQuery,
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<string> {
    return this.contexts.onNewest(async () => {
      const requestContext = await this.contexts.requestContext(principal);
      const start: CursorReader = (belongsTo, faults) => this.cursors.read(raw, belongsTo, faults);
      const compiled = this.queries.list(requestContext, name, raw, start);
      return this.page(requestContext, compiled, start, { within, freshness });
    });
  }

  /** Throws the errors of {@link list}, and `record_not_found`. */
  async get(
    principal: Principal,
    name: string,
    id: string,
    raw: RawQuery,
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<RecordBody> {
    return this.contexts.onNewest(async () => {
      const requestContext = await this.contexts.requestContext(principal);
      const compiled = this.queries.record(requestContext, name, raw);
      const { statement, record } = compiled.read;
      const values = placeholderValues(requestContext, { key: keyIn(compiled, id) });
      const [columns] = await this.statements.read(bindPlaceholders(statement, values), within, freshness);
      if (columns === undefined) throw new AppError('record_not_found');
      const { item, version } = recordRow(columns);
      return { body: recordAnswer(withGetters(item, record, requestContext)), version };
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
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<RelatedBody> {
    return this.contexts.onNewest(async () => {
      const requestContext = await this.contexts.requestContext(principal);
      const start: CursorReader = (belongsTo, faults) => this.cursors.read(raw, belongsTo, faults);
      const compiled = this.queries.related(requestContext, path.schema, path.relation, raw, start);
      const key = keyIn(compiled, path.id);
      const body = await this.page(requestContext, compiled, start, { within, freshness, key });
      return { body, target: compiled.target };
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
    { within, freshness, key }: ReadOptions,
  ): Promise<string> {
    const { query, scope, shape } = compiled;
    const faults = new QueryFaults(requestContext.limits);
    const cursor = start(scope, faults);
    faults.assertNone();
    const { statement, record } = cursor === null ? compiled.read : compiled.after(cursor);
    const values = placeholderValues(requestContext, { cursor: cursor ?? [], key });
    const startedAt = performance.now();
    const [columns = []] = await this.statements.read(bindPlaceholders(statement, values), within, freshness);
    if (shape !== null) this.seen.note(shape, performance.now() - startedAt);
    const row = listRow(columns);
    if (!row.parentExists) throw new AppError('record_not_found');
    const items = withGetters(row.items, record, requestContext);
    if (query.cursor === null) return listAnswer({ ...row, items }, query);
    return cursorAnswer(items, this.cursors.next(row.last, row.size, query.limit, scope), query);
  }
}
