import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Content, type Records } from '../../data/content/content.service.js';
import { contentLimits } from '../../data/content/content.public.js';
import { SchemaSnapshots } from '../../data/schema/schema-snapshots.service.js';
import { findSchema } from '../../data/schema/schema.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import type { BulkChange } from './bulk-change.entity.js';

export type BulkWork = Pick<BulkChange, 'schema' | 'action' | 'filter' | 'values'>;

/**
 * A range of keys: after `lastKey`, up to and including `untilKey`. Without `lastKey` there is no lower bound; without `untilKey` the range
 * is empty.
 */
type KeyRange = Pick<BulkChange, 'lastKey' | 'untilKey'>;

export interface BulkPart {
  readonly seen: number;
  readonly changed: number;
  /** Key of the last processed record; null if there was none. */
  readonly lastKey: string | null;
}

/** A key that no record has. */
const NO_RECORD = '00000000-0000-0000-0000-000000000000';

/** Upper limit per transaction, because others may have to wait for a lock on these records. @internal */
const MOST_AT_ONCE = 200;

@Injectable()
export class BulkRecords {
  private readonly atOnce: number;

  constructor(
    private readonly content: Content,
    private readonly snapshots: SchemaSnapshots,
    @Inject(CONFIG) config: Config,
  ) {
    const { maxPageSize, bulkRecords } = contentLimits(config);
    this.atOnce = Math.min(MOST_AT_ONCE, maxPageSize, bulkRecords);
  }

  /** @throws AppError `schema_not_found`. Other errors are thrown by the methods of the result. */
  of(work: BulkWork, principal: AccountPrincipal, manager: EntityManager): FilteredRecords {
    const schema = findSchema(this.snapshots.current, work.schema);
    if (schema === undefined) throw new AppError('schema_not_found');
    const records = this.content.as(principal).in(manager).schema(schema.name);
    return new FilteredRecords(records, work, schema.primaryField, this.atOnce);
  }
}

/** The records that match a filter, with the permissions of a principal. */
export class FilteredRecords {
  private readonly filter: Readonly<Record<string, unknown>>;

  constructor(
    private readonly records: Records<string>,
    private readonly work: BulkWork,
    private readonly key: string,
    private readonly atOnce: number,
  ) {
    this.filter = JSON.parse(work.filter) as Readonly<Record<string, unknown>>;
  }

  /**
   * Returns the number of records and the last key.
   *
   * @throws AppError the errors of a change of all records at once. They do not depend on the matching records.
   */
  async look(): Promise<{ readonly total: number; readonly untilKey: string | null }> {
    const [last] = await this.keys([], `-${this.key}`, 1);
    if (this.work.action === 'restore') await this.restore([NO_RECORD]);
    else await this.change({ $in: [] }, ...(last === undefined ? [] : [{ $lte: last }]));
    const query = { filter: this.filter, limit: 1, count: 'exact', select: [this.key], ...this.seen } as const;
    const { total } = await this.records.list(query);
    return { total: total ?? 0, untilKey: last ?? null };
  }

  /** Changes the next records of a range, all or none. */
  async changeNext({ lastKey, untilKey }: KeyRange): Promise<BulkPart> {
    const behind = lastKey === null ? [] : [{ $gt: lastKey }];
    const keys = untilKey === null ? [] : await this.keys([...behind, { $lte: untilKey }], this.key, this.atOnce);
    const last = keys.at(-1) ?? null;
    const changed = last === null ? 0 : await this.act(keys, [...behind, { $lte: last }]);
    return { seen: keys.length, changed, lastKey: last };
  }

  /**
   * A restoration only affects deleted records. This is not done by the filter, because the caller may not be allowed to read `deleted_at`.
   */
  private get seen(): { readonly withDeleted?: 'only' } {
    return this.work.action === 'restore' ? { withDeleted: 'only' } : {};
  }

  private act(keys: readonly string[], bounds: readonly object[]): Promise<number> {
    return this.work.action === 'restore' ? this.restore(keys) : this.change(...bounds);
  }

  /** Restores records one by one. Records that are already restored, or that the caller may not restore, are skipped. */
  private async restore(keys: readonly string[]): Promise<number> {
    let restored = 0;
    for (const key of keys)
      try {
        await this.records.restore(key, { select: [this.key] });
        restored += 1;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'record_not_found') throw error;
      }
    return restored;
  }

  private async keys(bounds: readonly object[], sort: string, limit: number): Promise<readonly string[]> {
    const page = { sort, limit, cursor: '', count: 'none', select: [this.key] } as const;
    const { items } = await this.records.list({ filter: this.within(bounds), ...page, ...this.seen });
    return (items as readonly Readonly<Record<string, unknown>>[]).map((item) => String(item[this.key]));
  }

  private change(...bounds: readonly object[]): Promise<number> {
    const { action, values } = this.work;
    if (action === 'delete') return this.records.removeMany(this.within(bounds));
    return this.records.updateMany(
      this.within(bounds),
      JSON.parse(values ?? '{}') as Readonly<Record<string, unknown>>,
    );
  }

  private within(bounds: readonly object[]): Readonly<Record<string, unknown>> {
    return bounds.length === 0
      ? this.filter
      : { $and: [this.filter, ...bounds.map((bound) => ({ [this.key]: bound }))] };
  }
}
