import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { ErasureAction } from '../../../kernel/schema-definition.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { ContentContexts } from '../content-context.service.js';
import { deletionRules, type Dependency } from '../plan/deletion-rules.js';
import {
  type AccountKey,
  type CountedRelation,
  type DependencyPath,
  renderDependentCounts,
  renderReferenceCounts,
} from '../render/render-erasure.js';
import type { SqlStatement } from '../render/sql-writer.js';
import { RecordChanges } from '../write/hooks/record-changes.service.js';
import { erasedRelationOf } from './account-erasure.service.js';
import { accountRelations, isForeignKeyRelation, type ForeignKeyRelation } from '../plan/account-relations.js';

const ACTIONS: readonly ErasureAction[] = ['delete', 'anonymise', 'keep'];

/** Records of one relation that refer to an account, and the effect of the erasure on them. */
export class AffectedRelation {
  @ApiProperty() readonly schema: string;
  @ApiProperty({ description: 'Field that refers to the account.' }) readonly field: string;
  @ApiProperty({
    enum: ACTIONS,
    description:
      '`delete`: the records are deleted. `anonymise`: the reference is cleared. `keep`: the reference is changed to a placeholder account without personal data.',
  })
  readonly action: ErasureAction;
  @ApiProperty({ type: 'integer' }) readonly count: number;
}

/** Number of records of a schema. */
export class CountedRecords {
  @ApiProperty() readonly schema: string;
  @ApiProperty({ type: 'integer' }) readonly count: number;
}

/** Effects of the erasure of an account on records. */
export class ErasureEffects {
  @ApiProperty({
    type: [AffectedRelation],
    description: 'Records that refer to the account, including deleted records.',
  })
  readonly records: readonly AffectedRelation[];
  @ApiProperty({ type: [CountedRecords], description: 'Records that are deleted with them by `on_delete: cascade`.' })
  readonly along: readonly CountedRecords[];
  @ApiProperty({
    type: [CountedRecords],
    description: 'Records that prevent the deletion. The account cannot be deleted while they exist.',
  })
  readonly blocked_by: readonly CountedRecords[];
}

/** Maximum number of relations followed from a deleted record. Records further away are not counted. @internal */
const MAX_STEPS = 5;

/** Previews the effect of erasing an account. Reads only, without locks. */
@Injectable()
export class ErasurePreview {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contexts: ContentContexts,
    private readonly records: RecordChanges,
  ) {}

  async of(userId: string): Promise<ErasureEffects> {
    return this.contexts.retryOnSchemaChange(async () => {
      const { snapshot } = this.contexts;
      const { accounts, relations } = accountRelations(snapshot);
      const account = { accounts, userId };
      const counts = relations.length === 0 ? [] : await this.count(renderReferenceCounts(account, relations));
      const found = relations.map((relation, index) => ({ ...relation, count: counts[index] ?? 0 }));
      const existing = found.filter(({ count }) => count > 0);
      const { along, blocking } = this.follow(snapshot, existing.filter(isForeignKeyRelation));
      return {
        records: existing.map(erasedRelationOf),
        along: await this.countBySchema(account, along),
        blocked_by: await this.countBySchema(account, blocking),
      };
    });
  }

  /** Returns the paths to records that depend on deleted records: those that cascade and those that block. */
  private follow(
    snapshot: SchemaSnapshot,
    existing: readonly ForeignKeyRelation[],
  ): { readonly along: readonly DependencyPath[]; readonly blocking: readonly DependencyPath[] } {
    const roots = existing.filter(({ action }) => action === 'delete');
    const [along, blocking]: [DependencyPath[], DependencyPath[]] = [[], []];
    const pathTo = (root: ForeignKeyRelation, steps: readonly Dependency[], next: Dependency): DependencyPath => {
      const own = roots.filter(({ target }) => target === next.target);
      return { root, steps: [...steps, next], without: own.map(({ join }) => join) };
    };
    const walk = (root: ForeignKeyRelation, steps: readonly Dependency[]): void => {
      const { target } = steps.at(-1) ?? root;
      const { restricts, cascades } = deletionRules(snapshot, target, this.records);
      blocking.push(...restricts.map((next) => pathTo(root, steps, next)));
      const seen = [root, ...steps].map((step) => step.target);
      for (const next of cascades) {
        along.push(pathTo(root, steps, next));
        if (!seen.includes(next.target) && steps.length + 1 < MAX_STEPS) walk(root, [...steps, next]);
      }
    };
    for (const root of roots) walk(root, []);
    return { along, blocking };
  }

  private async countBySchema(
    account: AccountKey,
    paths: readonly DependencyPath[],
  ): Promise<readonly CountedRecords[]> {
    if (paths.length === 0) return [];
    const counts = await this.count(renderDependentCounts(account, paths));
    const bySchema = new Map<string, number>();
    for (const [index, { root, steps }] of paths.entries()) {
      const { name } = (steps.at(-1) ?? root).target;
      bySchema.set(name, (bySchema.get(name) ?? 0) + (counts[index] ?? 0));
    }
    return [...bySchema].filter(([, count]) => count > 0).map(([schema, count]) => ({ schema, count }));
  }

  private async count({ text, parameters }: SqlStatement): Promise<readonly number[]> {
    const rows = await this.dataSource.query<CountedRelation[]>(text, [...parameters]);
    return rows.toSorted((one, other) => one.index - other.index).map(({ count }) => count);
  }
}
