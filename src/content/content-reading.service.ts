import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.types.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { AppError } from '../kernel/app-error.js';
import { deriveKey } from '../kernel/key-derivation.js';
import { type CursorKeys, readCursor, writeCursor } from './answer/cursor-token.js';
import {
  cursorAnswer,
  listAnswer,
  type ListRow,
  recordAnswer,
  type RecordBody,
  type RecordRow,
} from './answer/list-answer.js';
import { withGetters } from './answer/with-getters.js';
import { ContentContexts, type SchemaContext } from './content-context.service.js';
import { ContentStatements } from './content-statements.js';
import { planList, planRecord } from './plan/plan-list.js';
import { renderList, renderRecordQuery } from './render/render-query.js';
import type { ListQuery, RecordQuery } from './request/list-query.types.js';
import { parseListQuery, parseRecordQuery, type RawQuery } from './request/parse-list-query.js';

/** Reads records: each request is one statement, and its answer the text that PostgreSQL made. */
@Injectable()
export class ContentReading {
  private readonly cursorKey: KeyObject;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly contexts: ContentContexts,
    private readonly statements: ContentStatements,
  ) {
    this.cursorKey = deriveKey(config.appKey, 'cursor');
  }

  /** The body of a list. Throws `query_invalid`, `permission_denied`, `token_missing` or `schema_not_found`. */
  async list(principal: Principal, name: string, raw: RawQuery): Promise<string> {
    return this.contexts.onNewest(() => this.readList(principal, name, raw));
  }

  /** A record. Throws what {@link list} throws, and `record_not_found`. */
  async get(principal: Principal, name: string, id: string, raw: RawQuery): Promise<RecordBody> {
    return this.contexts.onNewest(() => this.readRecord(principal, name, id, raw));
  }

  private async readList(principal: Principal, name: string, raw: RawQuery): Promise<string> {
    const context = await this.contexts.openSchema(principal, name, 'list');
    const query = parseListQuery(raw);
    assertMaySeeDeleted(context, query);
    const scope = cursorScope(context, query);
    const plan = planList(context.schema, query, context.fields, this.startOf(query, scope));
    const [row] = await this.statements.read<ListRow>(renderList(plan));
    if (row === undefined) throw new AppError('internal_error');
    const items = withGetters(row.items, plan.record, context);
    if (!plan.byCursor) return listAnswer({ ...row, items }, query);
    return cursorAnswer(items, this.nextCursor(row, query, scope), query);
  }

  private async readRecord(principal: Principal, name: string, id: string, raw: RawQuery): Promise<RecordBody> {
    const context = await this.contexts.openSchema(principal, name, 'get');
    const query = parseRecordQuery(raw);
    assertMaySeeDeleted(context, query);
    const plan = planRecord(context.schema, id, query, context.fields);
    const [row] = plan === null ? [] : await this.statements.read<RecordRow>(renderRecordQuery(plan));
    if (plan === null || row === undefined) throw new AppError('record_not_found');
    return { body: recordAnswer(withGetters(row.item, plan.record, context)), version: row.version };
  }

  private startOf({ cursor }: ListQuery, scope: string): CursorKeys | null {
    if (cursor === null || cursor === '') return null;
    const keys = readCursor(cursor, scope, this.cursorKey);
    if (keys !== null) return keys;
    const errors = [{ field: 'cursor', code: 'malformed', message: 'is not a cursor of this list' }];
    throw new AppError('query_invalid', { details: { errors } });
  }

  /** A page that is not full is the last one. */
  private nextCursor({ last, size }: ListRow, { limit }: ListQuery, scope: string): string | null {
    if (last === null || size < limit) return null;
    return writeCursor(JSON.parse(last) as CursorKeys, scope, this.cursorKey);
  }
}

/** Who may restore records may see those that are deleted. */
function assertMaySeeDeleted({ access, schema }: SchemaContext, { withDeleted }: RecordQuery): void {
  if (withDeleted && access(schema, 'restore').grants.length === 0) throw new AppError('permission_denied');
}

/** What a cursor belongs to: the schema and the order, as its statement has them. */
function cursorScope({ schema }: SchemaContext, { sort }: ListQuery): string {
  return JSON.stringify([schema.id, sort]);
}
