import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { ALLOW_IDLING } from '../../platform/database/database.public.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';
import { type ArchivedObject, purge } from './apply/archive-cleanup.js';
import { PlanRunner } from './apply/plan-runner.js';
import { lockSchemas, SchemaConnection } from './apply/schema-connection.js';
import { SchemaStore } from './apply/schema-store.js';
import { initialSnapshot } from './change/prepare-change.js';
import { plainRecord } from '../model/plain-record.js';
import { planChange } from './plan/plan-change.js';
import type { PlanStep } from './plan/plan.types.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

/** Steps that are faster, or only possible, after the rows are copied. */
const LATE: readonly PlanStep['kind'][] = ['create_index', 'add_foreign_key', 'validate_foreign_key'];

/** Drops and recreates the tables of all schemas in the transaction of the caller. Used to export and import data. */
@Injectable()
export class SchemaTransfer {
  constructor(
    private readonly connection: SchemaConnection,
    private readonly store: SchemaStore,
    private readonly plans: PlanRunner,
    private readonly snapshots: SchemaSnapshots,
    private readonly clock: Clock,
  ) {}

  /** Runs the work on connections without the timeouts of requests. */
  use<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
    return this.connection.use(work, 0);
  }

  async lock(manager: EntityManager): Promise<void> {
    await manager.query(ALLOW_IDLING);
    await lockSchemas(manager);
  }

  async aside(manager: EntityManager): Promise<ReadonlySet<string>> {
    const rows = await manager.query<{ name: string }[]>('SELECT name FROM schema_leftovers');
    return new Set(rows.map(({ name }) => name));
  }

  async tables(manager: EntityManager): Promise<readonly string[]> {
    const { schemas } = await this.newest(manager);
    const all = Object.values(schemas).flatMap(({ table, junctions }) => [table, ...junctions]);
    return all.flatMap(({ name, managed }) => (managed ? [name] : []));
  }

  /** Drops all tables and columns of schemas, including archived ones. */
  async clear(manager: EntityManager): Promise<void> {
    const current = await this.newest(manager);
    const plan = planChange(current, this.initial(), current.version);
    for (const step of plan.steps) await this.plans.runStep(manager, step);
    await this.plans.recordArchived(manager, plan, current.version, this.clock.now());
    const all = await manager.query<ArchivedObject[]>('SELECT name, kind FROM schema_leftovers ORDER BY name');
    for (const archived of all) await purge(manager, archived);
    await this.lock(manager);
  }

  /** Creates the tables of the newest stored version. @returns the steps for {@link finish}, after the rows are copied. */
  async build(manager: EntityManager): Promise<readonly PlanStep[]> {
    const snapshot = await this.newest(manager);
    const { steps } = planChange({ schemas: plainRecord([]) }, snapshot, snapshot.version);
    for (const step of steps) if (!LATE.includes(step.kind)) await this.plans.runStep(manager, step);
    return steps.filter(({ kind }) => LATE.includes(kind));
  }

  /** Creates indexes and foreign keys, and clears the pending statements of all versions. */
  async finish(manager: EntityManager, steps: readonly PlanStep[]): Promise<void> {
    for (const step of steps) await this.plans.runStep(manager, step);
    await manager.query(`UPDATE schema_versions SET pending = '[]' WHERE pending::text <> '[]'`);
  }

  private newest(manager: EntityManager): Promise<SchemaSnapshot> {
    return this.store.newest(manager, this.initial());
  }

  private initial(): SchemaSnapshot {
    return initialSnapshot(this.snapshots.current.system);
  }
}
