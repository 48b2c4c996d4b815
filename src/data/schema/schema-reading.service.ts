import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { IndexAdvisor, type MissedIndex } from './advise/index-advisor.service.js';
import { ALLOW_LONG_STATEMENTS } from '../../platform/database/database.public.js';
import { type DefinitionAnswer, definitionAnswer, isExported } from './api/schema-answers.js';
import { asDataRefusal, schemaInvalid, schemaNotFound, toApplyFault } from './apply/apply-faults.js';
import { examinePlan, StepAnswer, stepAnswer } from './apply/examine-plan.js';
import { withRebuilds } from './apply/rebuild-tables.js';
import { SchemaStore, type VersionSummary } from './apply/schema-store.js';
import { prepareChange, type SchemaChange } from './change/prepare-change.js';
import type { SchemaDefinition } from '../../kernel/schema-definition.types.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

/** An index that lists would have used, as a plan tells it. */
@ApiSchema({ name: 'MissedIndex' })
export class MissedIndexAnswer implements MissedIndex {
  @ApiProperty() readonly schema: string;
  @ApiProperty({ type: [String], description: 'Fields of the index, as they stand in `db.indexes`.' })
  readonly columns: readonly string[];
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Lists that would have used it.' }) readonly seen: number;
  @ApiProperty({ type: 'number', minimum: 0, description: 'Milliseconds that one of them took on average.' })
  readonly mean_ms: number;
}

/** A plan as returned. */
@ApiSchema({ name: 'SchemaPlan' })
export class PlanAnswer {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Version that the plan starts from.' })
  readonly version: number;
  @ApiProperty({ description: 'Send it as `?plan=` to apply this plan and no other.' }) readonly hash: string;
  @ApiProperty() readonly loses_data: boolean;
  @ApiProperty({ description: 'Whether the data stands in the way.' }) readonly blocked: boolean;
  @ApiProperty({ type: [String] }) readonly changed: readonly string[];
  @ApiProperty({ type: [String] }) readonly removed: readonly string[];
  @ApiProperty({ type: [StepAnswer] }) readonly steps: readonly StepAnswer[];
  @ApiProperty({
    type: [MissedIndexAnswer],
    description:
      'Indexes that lists of the changed schemas would have used and that the plan does not make: `schema:advise` tries them.',
  })
  readonly missed_indexes: readonly MissedIndexAnswer[];
}

@Injectable()
export class SchemaReadingService {
  constructor(
    private readonly snapshots: SchemaSnapshots,
    private readonly store: SchemaStore,
    private readonly advisor: IndexAdvisor,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  get current(): SchemaSnapshot {
    return this.snapshots.current;
  }

  /** Throws `schema_not_found`. */
  get(name: string, snapshot: SchemaSnapshot): SchemaDefinition {
    const schema = snapshot.schemas[name];
    if (schema === undefined) throw schemaNotFound(name, snapshot);
    return schema.definition;
  }

  list(snapshot: SchemaSnapshot): readonly SchemaDefinition[] {
    return Object.values(snapshot.schemas)
      .map((schema) => schema.definition)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns the schemas for an import: all except unchanged system schemas. */
  export(snapshot: SchemaSnapshot): { readonly schemas: readonly SchemaDefinition[] } {
    const exported = Object.values(snapshot.schemas).filter(isExported);
    const names = new Set(exported.map(({ name }) => name));
    return { schemas: this.list(snapshot).filter(({ name }) => names.has(name)) };
  }

  /** Checks definitions and returns them in canonical form. Throws `schema_invalid` with all errors. */
  validate(body: unknown, backRefs: SchemaChange['backRefs']): DefinitionAnswer {
    const prepared = prepareChange(this.snapshots.current, { put: [{ json: body }], backRefs });
    if (!prepared.ok) throw schemaInvalid(prepared.faults);
    return definitionAnswer(body, prepared.snapshot);
  }

  async plan(change: SchemaChange, allowRebuild = false): Promise<PlanAnswer> {
    const current = await this.snapshots.latest();
    const prepared = prepareChange(current, change);
    if (!prepared.ok) throw schemaInvalid(prepared.faults);
    const { plan, changed, removed } = prepared;
    const examined = await this.dataSource
      .transaction('REPEATABLE READ', async (manager) => {
        await manager.query(ALLOW_LONG_STATEMENTS);
        const found = await asDataRefusal(() => examinePlan(manager, plan));
        return allowRebuild ? withRebuilds(manager, found) : found;
      })
      .catch((error: unknown) => {
        throw toApplyFault(error);
      });
    const steps = examined.map(stepAnswer);
    return {
      version: current.version,
      hash: plan.hash,
      loses_data: steps.some((step) => step.loses_data),
      blocked: steps.some((step) => step.problems.length > 0),
      changed,
      removed,
      steps,
      missed_indexes: await this.advisor.missed(prepared.snapshot, changed),
    };
  }

  /** Returns versions, newest first. @param before only versions below this one. */
  history(limit: number, before: number | null): Promise<readonly VersionSummary[]> {
    return this.store.list(this.dataSource, limit, before);
  }
}
