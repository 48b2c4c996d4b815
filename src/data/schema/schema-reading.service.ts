import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { IndexAdvisor, MissedIndex } from './advise/index-advisor.service.js';
import { ALLOW_LONG_STATEMENTS } from '../../platform/database/database.public.js';
import { definitionsIn, isList } from './definition/read-submission.js';
import { asDataRefusal, assertValid, schemaNotFound, toApplyFault } from './apply/apply-faults.js';
import { examinePlan, StepAnswer, stepAnswer, withRebuilds } from './apply/examine-plan.js';
import { SchemaStore, type VersionSummary } from './apply/schema-store.js';
import { initialSnapshot, prepareChange, prepareChangeInSteps, type SchemaChange } from './change/prepare-change.js';
import { recordTypes } from './api/record-types.js';
import { declaredSystemSchemas } from '../../kernel/system-schema.js';
import type { SchemaDefinition } from '../../kernel/schema-definition.types.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

/**
 * Returns TypeScript types of the API for schemas exported by another service.
 *
 * @throws AppError `schema_invalid` if this version does not support them.
 */
export function exportedTypes(exported: unknown): string {
  const prepared = prepareChange(initialSnapshot(declaredSystemSchemas()), { put: [{ json: exported }] });
  return recordTypes(assertValid(prepared).snapshot);
}

export type DefinitionAnswer = SchemaDefinition | readonly SchemaDefinition[];

export function submittedNames(body: unknown): readonly string[] {
  return (definitionsIn(body) as readonly { readonly name: string }[]).map(({ name }) => name);
}

export function definitionAnswer(body: unknown, snapshot: SchemaSnapshot): DefinitionAnswer {
  const definitions = submittedNames(body).flatMap((name) => snapshot.schemas[name]?.definition ?? []);
  const [first] = definitions;
  return isList(body) || first === undefined ? definitions : first;
}

/** A plan as returned. */
@ApiSchema({ name: 'SchemaPlan' })
export class PlanAnswer {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Schema version that the plan is based on.' })
  readonly version: number;
  @ApiProperty({ description: 'Hash of the plan. Send it as `?plan=` to apply exactly this plan.' })
  readonly hash: string;
  @ApiProperty() readonly loses_data: boolean;
  @ApiProperty({ description: 'Whether existing data prevents the change.' }) readonly blocked: boolean;
  @ApiProperty({ type: [String] }) readonly changed: readonly string[];
  @ApiProperty({ type: [String] }) readonly removed: readonly string[];
  @ApiProperty({ type: [StepAnswer] }) readonly steps: readonly StepAnswer[];
  @ApiProperty({
    type: [MissedIndex],
    description:
      'Recommended indexes that the plan does not create, from the list requests of the changed schemas. `schema:advise` measures them.',
  })
  readonly missed_indexes: readonly MissedIndex[];
}

@Injectable()
export class SchemaReadingService {
  constructor(
    private readonly snapshots: SchemaSnapshots,
    private readonly store: SchemaStore,
    private readonly advisor: IndexAdvisor,
    private readonly dataSource: DataSource,
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
    const isExported = ({ name }: SchemaDefinition): boolean => {
      const { system, fields = {} } = snapshot.schemas[name] ?? {};
      return !system || Object.values(fields).some(({ origin }) => origin === 'declared');
    };
    return { schemas: this.list(snapshot).filter(isExported) };
  }

  /** Checks definitions and returns them in canonical form. Throws `schema_invalid` with all errors. */
  async validate(body: unknown, backRefs: SchemaChange['backRefs']): Promise<DefinitionAnswer> {
    const prepared = await prepareChangeInSteps(this.snapshots.current, { put: [{ json: body }], backRefs });
    return definitionAnswer(body, assertValid(prepared).snapshot);
  }

  async plan(change: SchemaChange, allowRebuild = false): Promise<PlanAnswer> {
    const current = await this.snapshots.latest();
    const { plan, changed, removed, snapshot } = assertValid(await prepareChangeInSteps(current, change));
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
      missed_indexes: await this.advisor.missed(snapshot, changed),
    };
  }

  async types(): Promise<string> {
    return recordTypes(await this.snapshots.latest());
  }

  /** Returns versions, newest first. @param before only versions below this one. */
  history(limit: number, before: number | null): Promise<readonly VersionSummary[]> {
    return this.store.list(this.dataSource, limit, before);
  }
}
