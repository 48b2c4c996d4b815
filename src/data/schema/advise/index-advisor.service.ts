import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ALLOW_LONG_STATEMENTS } from '../../../platform/database/database.public.js';
import type { SchemaModel } from '../../model/schema-model.types.js';
import { schemaNotFound } from '../apply/apply-faults.js';
import { findSchema } from '../snapshot/schema-snapshot.js';
import { SchemaSnapshots } from '../schema-snapshots.service.js';
import { type IndexTrial, tryIndex } from './index-trial.js';
import { SeenQueries } from './seen-queries.service.js';
import { isBegun, isWhole, type WantedIndex, wantedIndexes } from './wanted-indexes.js';

/** Maximum number of indexes tried in one run. @internal */
const MOST_TRIED = 10;
/** An index is advised if it reduces the time of a page below this factor. */
const WORTH = 0.5;
/** Minimum time of a page in milliseconds. Below it, an index has no benefit and measurements are unreliable. */
const LEAST_MS = 0.5;

export interface MissedIndex {
  readonly schema: string;
  /** Field names, as in `db.indexes`. */
  readonly columns: readonly string[];
  readonly seen: number;
  /** Average duration of such a list in milliseconds. */
  readonly mean_ms: number;
}

export interface IndexAdvice extends MissedIndex {
  /** True if a page takes less than half of its time with the index. */
  readonly advised: boolean;
  readonly trial: IndexTrial;
}

@Injectable()
export class IndexAdvisor {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly seen: SeenQueries,
    private readonly snapshots: SchemaSnapshots,
  ) {}

  /** Returns missing indexes of the given schemas, without measuring. @param model with the current or the planned indexes. */
  async missed(model: SchemaModel, names: readonly string[]): Promise<readonly MissedIndex[]> {
    const seen = await this.seen.read();
    return wantedIndexes(model, seen, isBegun)
      .filter(({ schema }) => names.includes(schema.name))
      .map(missedIndex);
  }

  /**
   * Tries the most important missing indexes on samples.
   *
   * @param names all schemas if empty.
   * @param most records of a sample.
   * @throws AppError `schema_not_found`.
   */
  async advise(names: readonly string[], most: number): Promise<readonly IndexAdvice[]> {
    const snapshot = await this.snapshots.latest();
    const unknown = names.find((name) => findSchema(snapshot, name) === undefined);
    if (unknown !== undefined) throw schemaNotFound(unknown, snapshot);
    const wanted = wantedIndexes(snapshot, await this.seen.read(), isWhole).filter(
      ({ schema }) => names.length === 0 || names.includes(schema.name),
    );
    const advice: IndexAdvice[] = [];
    for (const one of wanted.slice(0, MOST_TRIED)) {
      const trial = await this.try(one, most);
      advice.push({ ...missedIndex(one), advised: isWorth(trial), trial });
    }
    return advice;
  }

  private try(wanted: WantedIndex, most: number): Promise<IndexTrial> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(ALLOW_LONG_STATEMENTS);
      return tryIndex(manager, wanted, most);
    });
  }
}

function isWorth({ before, after }: IndexTrial): boolean {
  return before >= LEAST_MS && after < WORTH * before;
}

function missedIndex({ schema, columns, seen, milliseconds }: WantedIndex): MissedIndex {
  const mean = Math.round((milliseconds / seen) * 100) / 100;
  return { schema: schema.name, columns: columns.map(({ field }) => field), seen, mean_ms: mean };
}
