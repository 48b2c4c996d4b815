import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../kernel/principal.types.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { AppError } from '../../kernel/app-error.js';
import { ContentCipher } from '../../kernel/content-cipher.js';
import { defineKeyPurpose, deriveKey } from '../../kernel/key-derivation.js';
import { type CursorKeys, readCursor, writeCursor } from './answer/cursor-token.js';
import {
  cursorAnswer,
  listAnswer,
  listRow,
  type ListRow,
  recordAnswer,
  type RecordBody,
  recordRow,
} from './answer/list-answer.js';
import { withGetters } from './answer/with-getters.js';
import { ContentContexts, type RequestContext } from './content-context.service.js';
import { ContentStatements } from './content-statements.js';
import { bindPlaceholders } from './prepared-statement.js';
import { type CompiledList, type CursorReader, keyIn, placeholderValues } from './compiled-query.js';
import { CompiledQueries } from './compiled-queries.service.js';
import type { ListQuery } from './request/list-query.types.js';
import { SeenQueries } from '../schema/advise/seen-queries.service.js';
import { findSchema } from '../schema/schema.public.js';
import type { ReadFreshness } from './read-consistency.service.js';
import type { RawQuery } from './request/parse-list-query.js';
import { QueryFaults } from './request/query-faults.js';

/** The path of a list of related records. */
export interface RelatedPath {
  readonly schema: string;
  readonly id: string;
  readonly relation: string;
}

/** A list of related records, and the schema that they are of. */
export interface RelatedBody {
  readonly body: string;
  readonly target: string;
}

interface ReadOptions {
  readonly within: EntityManager | undefined;
  readonly freshness: ReadFreshness | null | undefined;
  /** The key of the record that the records of the list are linked to. */
  readonly key?: unknown;
}

const CURSOR_KEY = defineKeyPurpose('cursor', 'dies');

/** Reads records: each request is one statement, and its answer the text that PostgreSQL made. */
@Injectable()
export class ContentReading {
  private readonly cursors: ContentCipher;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly contexts: ContentContexts,
    private readonly queries: CompiledQueries,
    private readonly statements: ContentStatements,
    private readonly seen: SeenQueries,
  ) {
    this.cursors = new ContentCipher(deriveKey(config.appKey, CURSOR_KEY));
  }

  /**
   * Returns the body of a list, read in the transaction of a caller if one is given, or by a replica if `freshness` is. Throws
   * `query_invalid`, `permission_denied`, `token_missing` or `schema_not_found`.
   */
  async list(
    principal: Principal,
    name: string,
    raw: RawQuery,
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<string> {
    return this.contexts.onNewest(() => this.readList(principal, name, raw, within, freshness));
  }

  /** Returns a record. Throws what {@link list} throws, and `record_not_found`. */
  async get(
    principal: Principal,
    name: string,
    id: string,
    raw: RawQuery,
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<RecordBody> {
    return this.contexts.onNewest(() => this.readRecord(principal, name, id, raw, within, freshness));
  }

  /**
   * Returns the body of the list of the records that a relation to many of a record leads to. Throws what {@link list} throws, and
   * `record_not_found` for a record or a relation that cannot be read.
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
      const start: CursorReader = (belongsTo, faults) => this.startOf(raw, belongsTo, faults);
      const compiled = this.queries.related(requestContext, path.schema, path.relation, raw, start);
      const key = keyIn(compiled, path.id);
      const body = await this.page(requestContext, compiled, start, { within, freshness, key });
      return { body, target: compiled.target };
    });
  }

  /** Returns whether the reader may keep what is answered of a schema: not of accounts, sessions and other schemas of the service. */
  mayBeKept(name: string): boolean {
    return findSchema(this.contexts.snapshot, name)?.system === false;
  }

  private async readList(
    principal: Principal,
    name: string,
    raw: RawQuery,
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<string> {
    const requestContext = await this.contexts.requestContext(principal);
    const start: CursorReader = (belongsTo, faults) => this.startOf(raw, belongsTo, faults);
    const compiled = this.queries.list(requestContext, name, raw, start);
    return this.page(requestContext, compiled, start, { within, freshness });
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
    const begin = performance.now();
    const [columns = []] = await this.statements.read(bindPlaceholders(statement, values), within, freshness);
    if (shape !== null) this.seen.note(shape, performance.now() - begin);
    const row = listRow(columns);
    if (!row.isThere) throw new AppError('record_not_found');
    const items = withGetters(row.items, record, requestContext);
    if (query.cursor === null) return listAnswer({ ...row, items }, query);
    return cursorAnswer(items, this.nextCursor(row, query, scope), query);
  }

  private async readRecord(
    principal: Principal,
    name: string,
    id: string,
    raw: RawQuery,
    within?: EntityManager,
    freshness?: ReadFreshness | null,
  ): Promise<RecordBody> {
    const requestContext = await this.contexts.requestContext(principal);
    const compiled = this.queries.record(requestContext, name, raw);
    const { statement, record } = compiled.read;
    const values = placeholderValues(requestContext, { key: keyIn(compiled, id) });
    const [columns] = await this.statements.read(bindPlaceholders(statement, values), within, freshness);
    if (columns === undefined) throw new AppError('record_not_found');
    const { item, version } = recordRow(columns);
    return { body: recordAnswer(withGetters(item, record, requestContext)), version };
  }

  /** Returns where a page begins; null for the first one. A cursor of another list is noted. */
  private startOf({ cursor }: RawQuery, scope: string, faults: QueryFaults): CursorKeys | null {
    if (typeof cursor !== 'string' || cursor === '') return null;
    const keys = readCursor(cursor, scope, this.cursors);
    if (keys === null) faults.add('cursor', 'malformed', 'is not a cursor of this list');
    return keys;
  }

  /** Returns the cursor of the next page. The page that found nothing beyond it is the last one. */
  private nextCursor({ last, size }: ListRow, { limit }: ListQuery, scope: string): string | null {
    if (last === null || size <= limit) return null;
    return writeCursor(JSON.parse(last) as CursorKeys, scope, this.cursors);
  }
}
