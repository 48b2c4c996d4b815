import type { Records } from '../../data/content/content.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { BulkAction } from './bulk-changes.dto.js';

export interface BulkWork {
  readonly schema: string;
  readonly action: BulkAction;
  /** JSON, as received. */
  readonly filter: string;
  readonly values: string | null;
}

/**
 * A range of keys: after `lastKey`, up to and including `untilKey`. Without `lastKey` there is no lower bound; without `untilKey` the range
 * is empty.
 */
interface KeyRange {
  readonly lastKey: string | null;
  readonly untilKey: string | null;
}

interface BulkPart {
  readonly seen: number;
  readonly changed: number;
  /** Key of the last processed record; null if there was none. */
  readonly lastKey: string | null;
}

/** A key that no record has. */
const NO_RECORD = '00000000-0000-0000-0000-000000000000';

/** The records that match a filter, with the permissions of a principal. */
export class FilteredRecords {
  private readonly filter: Readonly<Record<string, unknown>>;

  constructor(
    private readonly records: Records<string>,
    private readonly work: BulkWork,
    private readonly key: string,
    private readonly batchSize: number,
  ) {
    this.filter = JSON.parse(work.filter) as Readonly<Record<string, unknown>>;
  }

  /**
   * Returns the number of records and the last key.
   *
   * @throws AppError the errors of a change of all records at once. They do not depend on the matching records.
   */
  async countMatching(): Promise<{ readonly total: number; readonly untilKey: string | null }> {
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
    const keys = untilKey === null ? [] : await this.keys([...behind, { $lte: untilKey }], this.key, this.batchSize);
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
