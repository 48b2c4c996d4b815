import type { EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { renderAmong } from '../render/render-write.js';
import { keyOf } from '../resolve/key-of.js';
import { ALWAYS, type Condition } from '../resolve/resolved.types.js';
import type { KeyColumn } from '../resolve/writes/write.types.js';
import { FileRooms } from './file-rooms.js';

interface Judged {
  readonly table: string;
  readonly key: KeyColumn;
  readonly rule: Condition;
  readonly ids: Set<string>;
}

/** Checks rules on the records of a write after all statements. Records with the same rule are checked by one statement. */
export class WriteJudge {
  readonly rooms = new FileRooms();
  private readonly pending: Judged[] = [];

  constructor(private readonly manager: EntityManager) {}

  /**
   * Checks records in their current state.
   *
   * @param key column of the keys; the primary key by default.
   * @throws AppError `permission_denied` unless all records match the rule.
   */
  async now(rule: Condition, schema: LinkedSchema, ids: readonly unknown[], key = keyOf(schema)): Promise<void> {
    await this.judge({ table: schema.table.name, key, rule, ids: new Set(ids.map(String)) });
  }

  later(rule: Condition, schema: LinkedSchema, ids: readonly unknown[], key = keyOf(schema)): void {
    const table = schema.table.name;
    const alike = this.pending.find(
      (judged) => judged.rule === rule && judged.table === table && judged.key.column === key.column,
    );
    if (alike === undefined) this.pending.push({ table, key, rule, ids: new Set(ids.map(String)) });
    else for (const id of ids) alike.ids.add(String(id));
  }

  take({ pending, rooms }: WriteJudge): void {
    this.pending.push(...pending);
    this.rooms.take(rooms);
  }

  /** Runs the scheduled checks. Throws `permission_denied`, `quota_exceeded`. */
  async settle(): Promise<void> {
    for (const judged of this.pending.splice(0)) await this.judge(judged);
    await this.rooms.settle(this.manager);
  }

  private async judge({ table, key, rule, ids }: Judged): Promise<void> {
    if (rule === ALWAYS || ids.size === 0) return;
    const { text, parameters } = renderAmong(table, key, [...ids], rule, 'SHARE');
    const found = await this.manager.query<{ id: string }[]>(text, [...parameters]);
    const held = new Set(found.map(({ id }) => id));
    if ([...ids].some((id) => !held.has(id))) throw new AppError('permission_denied');
  }
}
