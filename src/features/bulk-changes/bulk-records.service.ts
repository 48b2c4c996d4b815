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

/** Action on the records of a filter. */
export type BulkWork = Pick<BulkChange, 'schema' | 'action' | 'filter' | 'values'>;

/** A range of keys: behind one, up to another one; null for no bound, and for none to come to. */
type KeyRange = Pick<BulkChange, 'lastKey' | 'untilKey'>;

/** Some records that were come to. */
export interface BulkPart {
  readonly seen: number;
  readonly changed: number;
  /** The last of them; null if there was none. */
  readonly lastKey: string | null;
}

/** The key of no record. */
const NO_RECORD = '00000000-0000-0000-0000-000000000000';

/** Records that are changed in one transaction at most: as long as others may have to wait for one of them. @internal */
const MOST_AT_ONCE = 200;

/** Opens the records that a change of many is about. */
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

  /** @throws AppError `schema_not_found`; the rest is told by what is done with them. */
  of(work: BulkWork, principal: AccountPrincipal, manager: EntityManager): FilteredRecords {
    const schema = findSchema(this.snapshots.current, work.schema);
    if (schema === undefined) throw new AppError('schema_not_found');
    const records = this.content.as(principal).in(manager).schema(schema.name);
    return new FilteredRecords(records, work, schema.primaryField, this.atOnce);
  }
}

/** The records of a filter, as somebody may see and write them. */
export class FilteredRecords {
  private readonly filter: Readonly<Record<string, unknown>>;

  /**
   * @param key the field of the keys.
   * @param atOnce how many are changed together.
   */
  constructor(
    private readonly records: Records<string>,
    private readonly work: BulkWork,
    private readonly key: string,
    private readonly atOnce: number,
  ) {
    this.filter = JSON.parse(work.filter) as Readonly<Record<string, unknown>>;
  }

  /**
   * Returns how many there are, and the key of the last one.
   *
   * @throws AppError what the change of all of them at once throws, whichever they are.
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

  /** A restoration is of deleted records. No filter selects them: the caller may not be allowed to read `deleted_at`. */
  private get seen(): { readonly withDeleted?: 'only' } {
    return this.work.action === 'restore' ? { withDeleted: 'only' } : {};
  }

  private act(keys: readonly string[], bounds: readonly object[]): Promise<number> {
    return this.work.action === 'restore' ? this.restore(keys) : this.change(...bounds);
  }

  /** Restores records one by one. What came back with another one, or may not be restored, is left alone. */
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

  /** Returns the filter, of records whose keys are within bounds. */
  private within(bounds: readonly object[]): Readonly<Record<string, unknown>> {
    return bounds.length === 0
      ? this.filter
      : { $and: [this.filter, ...bounds.map((bound) => ({ [this.key]: bound }))] };
  }
}
