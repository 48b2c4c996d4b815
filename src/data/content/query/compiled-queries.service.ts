import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Reading } from '../../../kernel/metrics.js';
import { Measures } from '../../../platform/metrics/measures.decorator.js';
import type { PrincipalPermissions } from '../../../kernel/permission-rules.js';
import { contextOf, type RequestContext, schemaFor } from '../content-context.service.js';
import {
  type CursorReader,
  type CompileContext,
  compileList,
  type CompiledList,
  type CompiledQuery,
  compileRecordQuery,
  compileRelated,
  type CompiledRelated,
  type CompiledRecordQuery,
} from './compiled-query.js';
import type { RawQuery } from '../request/parse-list-query.js';
import type { ContentAction } from '../resolve/resolved.types.js';
import { Placeholders } from '../resolve/placeholder.js';

/** Maximum characters of cached keys and statements. @internal */
const MAX_CHARACTERS = 16_000_000;

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
