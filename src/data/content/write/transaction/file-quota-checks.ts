import type { EntityManager } from 'typeorm';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { quoteIdentifier as q } from '../../../model/identifiers.js';
import { isLiveRow, linkOver } from '../../../model/linked-files.js';
import type { LinkedRelationField, LinkedSchema, SchemaModel } from '../../../model/schema-model.types.js';
import { keyOf, columnOfField } from '../../resolve/sql-values.js';

interface BoundField {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly quota: number;
  readonly back: LinkedRelationField;
  readonly files: LinkedSchema;
  readonly records: LinkedSchema;
}

/** Files and records whose accounts must be checked: newly linked files, and restored records with links. */
interface Counted {
  readonly field: BoundField;
  readonly files: Set<string>;
  readonly records: Set<string>;
}

/** Serializes concurrent writes over one field. Otherwise both could use the same free space. */
const LOCK_FIELD = `SELECT pg_advisory_xact_lock(hashtextextended('files:field:' || $1, 0))`;

/** Checks file quotas after all writes, for the fields with a quota that were written. */
export class FileQuotaChecks {
  private readonly pending = new Map<string, Counted>();

  linked(model: SchemaModel, field: LinkedRelationField, files: readonly unknown[]): void {
    for (const id of files) this.counted(model, field)?.files.add(String(id));
  }

  changed(model: SchemaModel, files: LinkedSchema, id: string): void {
    for (const back of Object.values(files.fields)) {
      const field = back.kind === 'relation' ? model.schemas[back.target]?.fields[back.backField] : undefined;
      if (field?.kind === 'relation') this.linked(model, field, [id]);
    }
  }

  restored(model: SchemaModel, schema: LinkedSchema, records: readonly string[]): void {
    for (const field of Object.values(schema.fields))
      if (field.kind === 'relation') for (const id of records) this.counted(model, field)?.records.add(id);
  }

  merge({ pending }: FileQuotaChecks): void {
    for (const [id, other] of pending) {
      const own = this.pending.get(id);
      if (own === undefined) this.pending.set(id, other);
      else for (const kind of ['files', 'records'] as const) other[kind].forEach((one) => own[kind].add(one));
    }
  }

  /**
   * Checks all registered fields, in a fixed order to prevent deadlocks.
   *
   * @throws AppError `quota_exceeded`.
   */
  async settle(manager: EntityManager): Promise<void> {
    const all = [...this.pending.values()].sort((one, other) => (one.field.id < other.field.id ? -1 : 1));
    this.pending.clear();
    for (const { field, files, records } of all) {
      const { id, name, quota } = field;
      await manager.query(LOCK_FIELD, [id]);
      const values = [[...files], [...records], quota];
      if ((await manager.query<unknown[]>(fullAccount(field), values)).length > 0)
        throw new AppError('quota_exceeded', { details: { quota, field: name } });
    }
  }

  private counted(model: SchemaModel, { id, name, file, target, backField }: LinkedRelationField): Counted | null {
    const existing = this.pending.get(id);
    const files = model.schemas[target];
    const back = files?.fields[backField];
    if (existing !== undefined || file?.quota === undefined || back?.kind !== 'relation') return existing ?? null;
    const records = model.schemas[back.target];
    if (files === undefined || records === undefined) return null;
    const field = { id, name, quota: file.quota, back, files, records };
    const counted = { field, files: new Set<string>(), records: new Set<string>() };
    this.pending.set(id, counted);
    return counted;
  }
}

/**
 * Renders the query for an account that exceeds the quota ($3) of a field. It checks the uploaders of the files ($1) and of the files
 * linked by the records ($2). A file linked by several records counts once.
 */
function fullAccount({ back, files, records }: BoundField): string {
  const [table, size, uploader] = [
    q(files.table.name),
    q(columnOfField(files, 'size')),
    q(columnOfField(files, files.traits.makerField)),
  ];
  const [fileKey, recordKey] = [keyOf(files), keyOf(records)];
  const [link = 'FALSE'] = linkOver(back, records, 'f');
  const [isSent = 'FALSE'] = linkOver(back, records, 's');
  const among = `r.${q(recordKey.column)}::text = ANY($2::text[])`;
  const [isRestored = 'FALSE'] = linkOver(back, records, 's', among);
  const isNamed = `s.${q(fileKey.column)} = ANY($1::${fileKey.sqlType}[]) AND ${isSent}`;
  return `SELECT f.${uploader} FROM ${table} f
    WHERE f.${uploader} IN (SELECT s.${uploader} FROM ${table} s WHERE (${isNamed}) OR ${isRestored}) AND ${link}${isLiveRow(files, 'f')}
    GROUP BY f.${uploader} HAVING sum(f.${size}) > $3::bigint LIMIT 1`;
}
