import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../kernel/principal.types.js';
import type { TextRow } from '../../platform/database/database.public.js';
import type { LinkedField, LinkedSchema } from '../model/schema-model.types.js';
import type { SchemaSnapshot } from '../schema/snapshot/schema-snapshot.types.js';
import { findSchema } from '../schema/schema.public.js';
import { type ContentContext, ContentContexts, schemaFor } from './content-context.service.js';
import { ContentStatements } from './query/content-statements.js';
import { FreshAnswers } from './query/fresh-answers.js';
import { hasKey } from './plan/plan-list.js';
import { bracketed } from './render/render-condition.js';
import { renderAmong } from './render/render-write.js';
import { type SqlStatement, SqlWriter } from './render/sql-writer.js';
import { keyOf } from './resolve/key-of.js';
import { type ContentAction, NEVER } from './resolve/resolved.types.js';

/** Context in which a statement over records is written. */
export interface GatedStatement {
  /** The alias of the records in the statement. */
  readonly row: string;
  /** SQL that holds of the records that may be read. */
  readonly where: string;
  /** The records' own schema, and all others. */
  readonly schema: LinkedSchema;
  readonly snapshot: SchemaSnapshot;
  /** Returns SQL that holds of records that one links which the principal may read, over the field at the other side of this one. */
  readonly linkedOver: (field: LinkedField) => string;
  /** Returns the placeholder of a value. */
  readonly parameter: (value: unknown, sqlType: string) => string;
}

/**
 * Asks the permissions of the content API about records that the service itself writes and hands out: by the rules that hold of them
 * there, at the moment of the question.
 */
@Injectable()
export class RecordGate {
  private readonly answers = new FreshAnswers<readonly TextRow[]>();

  constructor(
    private readonly contexts: ContentContexts,
    private readonly statements: ContentStatements,
  ) {}

  /** @throws AppError `token_missing` or `permission_denied` if no permission opens the action on any record of the schema. */
  async assertOpen(principal: Principal, name: string, action: ContentAction): Promise<void> {
    schemaFor(await this.contexts.open(principal), name, action);
  }

  /** Returns whether an action is open on a record as the transaction has it, and locks the record then against being changed. */
  async isOpen(
    manager: EntityManager,
    principal: Principal,
    name: string,
    action: ContentAction,
    id: string,
  ): Promise<boolean> {
    const { context, schema } = await this.find(principal, name);
    const byKey = hasKey(schema, id, context.fields);
    const where = byKey === null ? NEVER : context.fields.visible(schema, action);
    if (where === NEVER) return false;
    const { text, parameters } = renderAmong(schema.table.name, keyOf(schema), [id], where);
    return (await manager.query<unknown[]>(text, [...parameters])).length > 0;
  }

  /**
   * Runs a statement over the records of a schema that the principal may `get`, or that a record links which it may read, over a field
   * that it may read. Who asks the same meanwhile may share the rows, which are never those of a statement that began before they came.
   *
   * @param write returns the text of the statement.
   */
  async reachable(
    principal: Principal,
    name: string,
    write: (statement: GatedStatement) => string,
  ): Promise<readonly TextRow[]> {
    return this.contexts.onNewest(async () => {
      const { context, schema } = await this.find(principal, name);
      return this.select(context, schema, write);
    });
  }

  private async find(
    principal: Principal,
    name: string,
  ): Promise<{ readonly context: ContentContext; readonly schema: LinkedSchema }> {
    const context = await this.contexts.open(principal);
    const schema = findSchema(context.snapshot, name);
    if (schema === undefined) throw new TypeError(`There is no schema ${name}.`);
    return { context, schema };
  }

  private async select(
    { fields, snapshot }: ContentContext,
    schema: LinkedSchema,
    write: (statement: GatedStatement) => string,
  ): Promise<readonly TextRow[]> {
    const condition = fields.reachable(schema);
    if (condition === NEVER) return [];
    const sql = new SqlWriter();
    const row = sql.alias();
    const where = bracketed(condition, row, sql);
    const linkedOver = (field: LinkedField): string => bracketed(fields.linkedOver(field), row, sql);
    const parameter = (value: unknown, sqlType: string): string => sql.parameter(value, sqlType);
    const statement = sql.statement(write({ row, where, schema, snapshot, linkedOver, parameter }));
    return this.answers.get(questionOf(statement), () => this.statements.run(statement));
  }
}

/** Returns what makes two statements the same: who asks and by which rules is in the text and the values. */
function questionOf({ text, parameters }: SqlStatement): string {
  return JSON.stringify([text, parameters], (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}
