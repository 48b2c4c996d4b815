import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../kernel/principal.types.js';
import type { TextRow } from '../../platform/database/database.public.js';
import type { LinkedField, LinkedSchema } from '../model/schema-model.types.js';
import type { SchemaSnapshot } from '../schema/snapshot/schema-snapshot.types.js';
import { findSchema } from '../schema/schema.public.js';
import { ContentContexts, type SchemaContext, schemaFor } from './content-context.service.js';
import { ContentStatements } from './query/content-statements.js';
import { hasKey, keyOf } from './resolve/sql-values.js';
import { bracketed } from './render/render-condition.js';
import { renderAmong } from './render/render-write.js';
import { type SqlStatement, SqlWriter } from './render/sql-writer.js';
import { type ContentAction, NEVER } from './resolve/conditions.js';

/**
 * Shares results between identical concurrent calls without returning stale data. A call during a running query joins the next query, which
 * starts after the call. At most one query runs and one waits.
 */
export class FreshAnswers<T> {
  private readonly running = new Map<string, Promise<T>>();
  private readonly waiting = new Map<string, Promise<T>>();

  /**
   * Returns a result whose query started after this call. Rejects with the error of `load`.
   *
   * @param key key that identifies identical calls.
   * @param load runs the query; called once for all callers that wait together.
   */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const next = this.waiting.get(key);
    if (next !== undefined) return next;
    const before = this.running.get(key);
    return before === undefined ? this.start(key, load) : this.wait(before, key, load);
  }

  private start(key: string, load: () => Promise<T>): Promise<T> {
    const answer = load().finally(() => this.running.delete(key));
    this.running.set(key, answer);
    return answer;
  }

  private wait(before: Promise<T>, key: string, load: () => Promise<T>): Promise<T> {
    const start = (): Promise<T> => {
      this.waiting.delete(key);
      return this.start(key, load);
    };
    const next = before.then(start, start);
    this.waiting.set(key, next);
    return next;
  }
}

export interface GatedStatement {
  readonly row: string;
  readonly where: string;
  readonly schema: LinkedSchema;
  readonly snapshot: SchemaSnapshot;
  /** Returns the SQL condition for records that are linked by a readable record over the given field. */
  readonly linkedOver: (field: LinkedField) => string;
  readonly parameter: (value: unknown, sqlType: string) => string;
}

/**
 * Applies the permissions of the content API to records that other parts of the server read and write. Permissions are checked at the time
 * of the call.
 */
@Injectable()
export class RecordGate {
  private readonly answers = new FreshAnswers<readonly TextRow[]>();

  constructor(
    private readonly contexts: ContentContexts,
    private readonly statements: ContentStatements,
  ) {}

  /** @throws AppError `token_missing` or `permission_denied` if no permission allows the action on any record of the schema. */
  async assertOpen(principal: Principal, name: string, action: ContentAction): Promise<void> {
    schemaFor(await this.contexts.open(principal), name, action);
  }

  /** Returns true if the action is allowed on the record as the transaction sees it. If so, it locks the record against changes. */
  async isOpen(
    manager: EntityManager,
    principal: Principal,
    name: string,
    action: ContentAction,
    id: string,
  ): Promise<boolean> {
    const { fields, schema } = await this.find(principal, name);
    const byKey = hasKey(schema, id);
    const where = byKey === null ? NEVER : fields.visible(schema, action);
    if (where === NEVER) return false;
    const { text, parameters } = renderAmong(schema.table.name, keyOf(schema), [id], where);
    return (await manager.query<unknown[]>(text, [...parameters])).length > 0;
  }

  /**
   * Runs a statement over records that the principal may `get`, or that a readable record links over a readable field. Identical concurrent
   * calls may share the rows, but never rows of a statement that began before the call.
   *
   * @param write returns the text of the statement.
   */
  async reachable(
    principal: Principal,
    name: string,
    write: (statement: GatedStatement) => string,
  ): Promise<readonly TextRow[]> {
    return this.contexts.retryOnSchemaChange(async () => {
      const { fields, snapshot, schema } = await this.find(principal, name);
      const condition = fields.reachable(schema);
      if (condition === NEVER) return [];
      const sql = new SqlWriter();
      const row = sql.alias();
      const where = bracketed(condition, row, sql);
      const linkedOver = (field: LinkedField): string => bracketed(fields.linkedOver(field), row, sql);
      const parameter = (value: unknown, sqlType: string): string => sql.parameter(value, sqlType);
      const statement = sql.statement(write({ row, where, schema, snapshot, linkedOver, parameter }));
      return this.answers.get(questionOf(statement), () => this.statements.run(statement));
    });
  }

  private async find(principal: Principal, name: string): Promise<SchemaContext> {
    const context = await this.contexts.open(principal);
    const schema = findSchema(context.snapshot, name);
    if (schema === undefined) throw new TypeError(`The schema ${name} does not exist.`);
    return { ...context, schema };
  }
}

/** The text and parameters include the permissions and the account. */
function questionOf({ text, parameters }: SqlStatement): string {
  return JSON.stringify([text, parameters], (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}
