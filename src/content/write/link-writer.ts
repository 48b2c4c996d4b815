import { AppError } from '../../kernel/app-error.js';
import type { LinkedSchema } from '../../schema/model/schema-model.types.js';
import { renderAmong, renderLink, renderUnlink, renderUpdate, renderValue } from '../render/render-write.js';
import type { SqlStatement } from '../render/sql-writer.js';
import { allOf } from '../resolve/conditions.js';
import { ALWAYS, type Condition } from '../resolve/resolved.types.js';
import type { RecordRef, RecordWrite, WrittenLinks, WrittenReference, WrittenValue } from '../resolve/write.types.js';
import { comparedAs } from '../resolve/sql-value.js';
import { keyOf } from '../resolve/key-of.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Writes a record that another one nests, with what the other presets; answers its key. */
export type NestedCreate = (write: RecordWrite, preset: ReadonlyMap<string, WrittenValue>) => Promise<string>;

/** Writes references and links of one record; every record that is linked may be seen by whoever links it. */
export class LinkWriter {
  constructor(
    private readonly transaction: WriteTransaction,
    private readonly create: NestedCreate,
  ) {}

  /** The columns that hold the references of the record itself. */
  async references(references: readonly WrittenReference[]): Promise<ReadonlyMap<string, WrittenValue>> {
    const values = new Map<string, WrittenValue>();
    for (const { ref, target, column, place, field } of references) {
      const { targetColumn } = field.join;
      if (ref === null) {
        values.set(column, { value: null, sqlType: keyOf(target).sqlType });
        continue;
      }
      const id = ref.kind === 'new' ? await this.create(ref.write, new Map()) : ref.value;
      if (ref.kind === 'id') await this.assertThere(target, [id], this.seen(target, 'get'), place);
      values.set(column, await this.valueIn(target, targetColumn, id));
    }
    return values;
  }

  /** The links of a record that is there. */
  async links(links: readonly WrittenLinks[], schema: LinkedSchema, id: string): Promise<void> {
    for (const link of links) {
      if (link.field.join.kind === 'junction') await this.junction(link, schema, id);
      else await this.held(link, schema, id);
    }
  }

  private async junction(link: WrittenLinks, schema: LinkedSchema, id: string): Promise<void> {
    const { target, field, remove, replaces, place } = link;
    const { join } = field;
    if (join.kind !== 'junction') return;
    const own = { value: id, sqlType: keyOf(schema).sqlType };
    const { sqlType } = keyOf(target);
    const added = await this.added(link, this.seen(target, 'list'), place);
    const from = {
      table: join.junctionTable,
      own: join.junctionOwnColumn,
      other: join.junctionTargetColumn,
      empties: false,
    };
    if (replaces) await this.run(renderUnlink(from, own, { value: added, sqlType, except: true }));
    if (remove.length > 0) await this.run(renderUnlink(from, own, { value: remove, sqlType, except: false }));
    if (added.length > 0) await this.run(renderLink(join, own, { value: added, sqlType }));
  }

  /** The other records hold the reference: what changes are they. */
  private async held(link: WrittenLinks, schema: LinkedSchema, id: string): Promise<void> {
    const { target, field, remove, replaces, where, place } = link;
    const { join } = field;
    if (join.kind !== 'direct') return;
    const key = keyOf(target);
    const own = await this.valueIn(schema, join.ownColumn, id);
    const known = link.add.flatMap((ref) => (ref.kind === 'id' ? [ref.value] : []));
    await this.assertThere(target, [...known, ...remove], allOf([this.seen(target, 'list'), where]), place);
    const from = { table: target.table.name, own: join.targetColumn, other: key.column, empties: true };
    if (replaces && where !== ALWAYS) await this.assertReplaceable(link, own);
    if (replaces) await this.run(renderUnlink(from, own, { value: known, sqlType: key.sqlType, except: true }));
    if (remove.length > 0)
      await this.run(renderUnlink(from, own, { value: remove, sqlType: key.sqlType, except: false }));
    const preset = new Map([[join.targetColumn, own]]);
    for (const ref of link.add) {
      if (ref.kind === 'new') await this.create(ref.write, preset);
      else await this.run(renderUpdate(target.table.name, preset, key, ref.value));
    }
  }

  /** Replacing takes away what is there, which must be allowed record by record too. */
  private async assertReplaceable({ target, field, where }: WrittenLinks, own: WrittenValue): Promise<void> {
    const { join } = field;
    if (join.kind !== 'direct') return;
    const holder = { column: join.targetColumn, sqlType: own.sqlType };
    const present = await this.run(renderAmong(target.table.name, holder, [own.value], ALWAYS));
    const allowed = await this.run(renderAmong(target.table.name, holder, [own.value], where));
    if (present.length !== allowed.length) throw new AppError('permission_denied');
  }

  private async added(link: WrittenLinks, where: Condition, place: string): Promise<readonly unknown[]> {
    const ids: unknown[] = [];
    const known = link.add.flatMap((ref: RecordRef) => (ref.kind === 'id' ? [ref.value] : []));
    await this.assertThere(link.target, known, where, place);
    for (const ref of link.add) ids.push(ref.kind === 'id' ? ref.value : await this.create(ref.write, new Map()));
    return ids;
  }

  /** What may not be seen is as if it were not there. */
  private async assertThere(
    target: LinkedSchema,
    ids: readonly unknown[],
    where: Condition,
    place: string,
  ): Promise<void> {
    const wanted = new Set(ids.map(String));
    if (wanted.size === 0) return;
    const found = await this.run<{ id: string }>(renderAmong(target.table.name, keyOf(target), [...wanted], where));
    if (found.length === wanted.size) return;
    const errors = [{ field: place, code: 'reference_not_found', message: 'leads to no record' }];
    throw new AppError('reference_not_found', { details: { errors } });
  }

  private seen(target: LinkedSchema, action: 'get' | 'list'): Condition {
    return this.transaction.context.fields.visible(target, action);
  }

  /** What a foreign key to the record holds: its key, or the field that the relation names. */
  private async valueIn(schema: LinkedSchema, column: string, id: unknown): Promise<WrittenValue> {
    const key = keyOf(schema);
    if (column === key.column) return { value: id, sqlType: key.sqlType };
    const field = Object.values(schema.fields).find((entry) => entry.kind === 'value' && entry.column === column);
    const [row] = await this.run<{ value: string }>(renderValue(schema.table.name, key, id, column));
    if (field?.kind !== 'value' || row === undefined) throw new AppError('record_not_found');
    return { value: row.value, sqlType: comparedAs(field.type) };
  }

  private run<Row>({ text, parameters }: SqlStatement): Promise<Row[]> {
    return this.transaction.manager.query<Row[]>(text, [...parameters]);
  }
}
