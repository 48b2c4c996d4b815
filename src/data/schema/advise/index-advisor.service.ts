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

/** Indexes that are tried in one go. @internal */
const MOST_TRIED = 10;
/** An index is advised where a page takes less than this part of its time with it. */
const WORTH = 0.5;
/** Milliseconds that a page must take without it: below, there is nothing to gain, and nothing to measure. */
const LEAST_MS = 0.5;

export interface MissedIndex {
  readonly schema: string;
  /** Names of fields, as they stand in `db.indexes`. */
  readonly columns: readonly string[];
  /** Lists that would have used it. */
  readonly seen: number;
  /** Milliseconds that one of them took on average. */
  readonly mean_ms: number;
}

/** A missed index with what it would bring and cost. */
export interface IndexAdvice extends MissedIndex {
  /** True if a page takes less than half of its time with it. */
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

  /** Returns the missing indexes of some schemas, unmeasured. @param model with the current or the planned indexes. */
  async missed(model: SchemaModel, names: readonly string[]): Promise<readonly MissedIndex[]> {
    const seen = await this.seen.read();
    return wantedIndexes(model, seen, isBegun)
      .filter(({ schema }) => names.includes(schema.name))
      .map(missedIndex);
  }

  /**
   * Tries the most wanted indexes on samples. @param names all schemas if empty. @param most records of a sample. @throws
   * AppError `schema_not_found`.
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
