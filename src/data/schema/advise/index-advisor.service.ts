import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { ALLOW_LONG_STATEMENTS } from '../../../platform/database/database.public.js';
import type { LinkedColumn, LinkedSchema, QueryShape, SchemaModel, SeenQuery } from '../../model/schema-model.types.js';
import { schemaNotFound } from '../apply/apply-faults.js';
import { findSchema } from '../snapshot/schema-snapshot.js';
import { SchemaSnapshots } from '../schema-snapshots.service.js';
import { type IndexTrial, type TriedIndex, tryIndex } from './index-trial.js';
import { SeenQueries } from './seen-queries.service.js';

/** Maximum number of indexes tried in one run. @internal */
const MAX_TRIED = 10;
/** Maximum columns of an index. Further columns hardly improve selectivity. @internal */
const MAX_COLUMNS = 4;
/** An index is advised if it reduces the time of a page below this factor. */
const WORTH = 0.5;
/** Minimum time of a page in milliseconds. Below it, an index has no benefit and measurements are unreliable. */
const LEAST_MS = 0.5;

/** A recommended index, as part of a plan. */
@ApiSchema({ name: 'MissedIndex' })
export class MissedIndex {
  @ApiProperty() readonly schema: string;
  @ApiProperty({ type: [String], description: 'Fields of the index, in the format of `db.indexes`.' })
  readonly columns: readonly string[];
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of list requests that would have used the index.' })
  readonly seen: number;
  @ApiProperty({ type: 'number', minimum: 0, description: 'Mean duration of these requests, in milliseconds.' })
  readonly mean_ms: number;
}

export interface IndexAdvice extends MissedIndex {
  /** True if a page takes less than half of its time with the index. */
  readonly advised: boolean;
  readonly trial: IndexTrial;
}

interface IndexCandidate extends TriedIndex {
  /** Number of lists with this shape, or with another shape that the same index serves. */
  readonly seen: number;
  readonly milliseconds: number;
}

@Injectable()
export class IndexAdvisor {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seen: SeenQueries,
    private readonly snapshots: SchemaSnapshots,
  ) {}

  /** Returns missing indexes of the given schemas, without measuring. @param model with the current or the planned indexes. */
  async missed(model: SchemaModel, names: readonly string[]): Promise<readonly MissedIndex[]> {
    const seen = await this.seen.read();
    return indexCandidates(model, seen, 'partly')
      .filter(({ schema }) => names.includes(schema.name))
      .map(missedIndex);
  }

  /**
   * Tries the most important missing indexes on samples.
   *
   * @param names all schemas if empty.
   * @param maxRows records of a sample.
   * @throws AppError `schema_not_found`.
   */
  async advise(names: readonly string[], maxRows: number): Promise<readonly IndexAdvice[]> {
    const snapshot = await this.snapshots.latest();
    const unknown = names.find((name) => findSchema(snapshot, name) === undefined);
    if (unknown !== undefined) throw schemaNotFound(unknown, snapshot);
    const candidates = indexCandidates(snapshot, await this.seen.read(), 'fully').filter(
      ({ schema }) => names.length === 0 || names.includes(schema.name),
    );
    const advice: IndexAdvice[] = [];
    for (const candidate of candidates.slice(0, MAX_TRIED)) {
      const trial = await this.dataSource.transaction(async (manager) => {
        await manager.query(ALLOW_LONG_STATEMENTS);
        return tryIndex(manager, candidate, maxRows);
      });
      const advised = trial.before >= LEAST_MS && trial.after < WORTH * trial.before;
      advice.push({ ...missedIndex(candidate), advised, trial });
    }
    return advice;
  }
}

function missedIndex({ schema, columns, seen, milliseconds }: IndexCandidate): MissedIndex {
  const mean = Math.round((milliseconds / seen) * 100) / 100;
  return { schema: schema.name, columns: columns.map(({ field }) => field), seen, mean_ms: mean };
}

/**
 * Returns the missing indexes: for each shape the equality columns, then the sort columns, or range columns if there is no order. Shapes
 * with removed schemas or columns, and shapes served by an index, are skipped.
 *
 * @param seen query shapes of lists.
 * @param served `partly`: also skips shapes for which an index begins with all equality columns, or with the first column. A further
 * index may then be of little use.
 * @returns sorted by total time, descending.
 */
export function indexCandidates(
  model: SchemaModel,
  seen: readonly SeenQuery[],
  served: 'partly' | 'fully',
): readonly IndexCandidate[] {
  const schemas = new Map(Object.values(model.schemas).map((schema) => [schema.id, schema]));
  const candidates = new Map<string, IndexCandidate>();
  for (const query of seen) {
    const schema = schemas.get(query.shape.schema);
    if (schema === undefined || !schema.table.managed) continue;
    const columns = columnsFor(schema, query.shape);
    const names = columns.map(({ name }) => name);
    const equal = query.shape.equal.length;
    const length = served === 'partly' ? Math.max(1, equal) : names.length;
    if (columns.length === 0 || indexesOf(schema).some((index) => hasPrefix(index, names, equal, length))) continue;
    const key = JSON.stringify([schema.id, ...columns.map(({ id }) => id)]);
    const candidate = candidates.get(key) ?? { schema, columns, shape: query.shape, seen: 0, milliseconds: 0 };
    const [times, milliseconds] = [candidate.seen + query.seen, candidate.milliseconds + query.milliseconds];
    candidates.set(key, { ...candidate, seen: times, milliseconds });
  }
  return [...candidates.values()].sort((one, other) => other.milliseconds - one.milliseconds);
}

function columnsFor({ table }: LinkedSchema, { equal, ranges, order }: QueryShape): readonly LinkedColumn[] {
  const byId = new Map(table.columns.map((column) => [column.id, column]));
  const ids = [...new Set([...equal, ...(order.length === 0 ? ranges : order)])];
  const columns = ids.map((id) => byId.get(id)).filter((column) => column !== undefined);
  return columns.length === ids.length ? columns.slice(0, MAX_COLUMNS) : [];
}

function indexesOf({ table }: LinkedSchema): readonly (readonly string[])[] {
  const usable = table.indexes.filter(({ method, live }) => method === 'btree' && !live);
  return [table.primaryKey.columns, ...usable.map(({ columns }) => columns)];
}

/** Returns true if an index serves a query. Equality columns may be in any order, but must come first. */
function hasPrefix(index: readonly string[], columns: readonly string[], equal: number, length: number): boolean {
  const [values, trailing] = [columns.slice(0, Math.min(equal, length)), columns.slice(equal, length)];
  const prefix = new Set(index.slice(0, values.length));
  return values.every((name) => prefix.has(name)) && trailing.every((name, at) => index[values.length + at] === name);
}
