import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { accountActor, defineAuditActions, OPERATOR } from '../../../platform/audit/audit.public.js';
import type { AuditEvent } from '../../../platform/audit/audit.types.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Jobs } from '../../../platform/jobs/jobs.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import type { PreparedChange, ValidChange } from '../change/prepare-change.js';
import { SchemaFileStore, type StagedFiles, SchemaFileWriter } from '../files/schema-file-writer.js';
import { SCHEMA_TOPIC, SchemaSnapshots } from '../schema-snapshots.service.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import {
  asDataRefusal,
  isPassing,
  toApplyFault,
  assertApplicable,
  assertExpected,
  assertNoConflict,
  assertValid,
} from './apply-faults.js';
import { examinePlan, isLossy, withRebuilds } from './examine-plan.js';
import { PlanRunner } from './plan-runner.js';
import { FINISH_SCHEMA, lockSchemas, PendingSchemaStatements, SchemaConnection } from './schema-connection.js';
import { SchemaStore } from './schema-store.js';
import type { ChangeOrigin } from '../plan/plan.types.js';

const ACTIONS = defineAuditActions('Schemas', {
  'schema.change': 'A schema was created, changed or removed.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

export interface ApplyRequest {
  /** Prepares the change against a snapshot. Called again if another change was committed first. */
  readonly prepare: (current: SchemaSnapshot) => PreparedChange | Promise<PreparedChange>;
  readonly origin: ChangeOrigin;
  readonly createdBy?: string | null;
  /** Undefined for changes by files or commands. */
  readonly requestOrigin?: RequestOrigin;
  readonly allowDataLoss?: boolean;
  readonly allowRebuild?: boolean;
  /** Accepted schema versions (`If-Match`). */
  readonly expectedVersions?: readonly number[];
  /** Expected plan hash (`?plan=`). */
  readonly expectedPlan?: string;
  readonly fileHashes?: ReadonlyMap<string, string>;
}

export interface AppliedChange extends ValidChange {
  readonly before: SchemaSnapshot;
}

/** Lock timeout of a statement. All later queries on the table wait as long. */
const LOCK_TIMEOUT_MS = 300;
/** Delay after which a job checks for pending statements. By then they are done, unless this instance crashed. */
const FINISH_AFTER_MS = 30_000;
const ATTEMPTS = 15;
/** @internal */
const MAX_PAUSE_MS = 1_000;

/** Applies schema changes to the database, the memory and the files, all or none. */
@Injectable()
export class SchemaApplier {
  private readonly logger = new Logger('Schemas');

  constructor(
    private readonly connection: SchemaConnection,
    private readonly snapshots: SchemaSnapshots,
    private readonly store: SchemaStore,
    private readonly plans: PlanRunner,
    private readonly pending: PendingSchemaStatements,
    private readonly files: SchemaFileWriter,
    private readonly fileStore: SchemaFileStore,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `schema_invalid`, `migration_blocked`, `migration_destructive`, `plan_changed`, `schema_changed`, `schema_version_mismatch`, or
   * `server_busy` if a table stays in use. Then nothing is changed.
   */
  async apply(request: ApplyRequest): Promise<AppliedChange> {
    const base = await this.snapshots.latest();
    const early = assertValid(await request.prepare(base));
    assertExpected(request, base, early);
    if (early.snapshot === base && request.fileHashes === undefined) return { ...early, before: base };
    return this.connection.use(async (source) => {
      await this.pending.finish(source);
      const applied = await this.withRetry(() => this.once(source, request, { ...early, before: base }));
      if (applied.snapshot === applied.before) return applied;
      // An error does not revert the change: the next change or the cleanup job retries.
      await this.pending.finish(source).catch((err: unknown) => {
        this.logger.warn({ err, msg: 'The steps after a schema change could not be completed. They will be retried.' });
      });
      return applied;
    });
  }

  /**
   * Retries if a table is in use or a concurrent change was committed first. Each lock wait is short, so that no queue forms behind the
   * change.
   */
  private async withRetry(work: () => Promise<AppliedChange>): Promise<AppliedChange> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt === ATTEMPTS || !isPassing(error)) throw toApplyFault(error);
        const pause = Math.min(50 * 2 ** attempt, MAX_PAUSE_MS);
        await sleep(pause / 2 + Math.random() * (pause / 2));
      }
    }
  }

  private async once(source: DataSource, request: ApplyRequest, early: AppliedChange): Promise<AppliedChange> {
    const staged: StagedFiles[] = [];
    try {
      const applied = await new ChangeNotifier(source).transaction(async (manager, notify) => {
        await lockSchemas(manager);
        await manager.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        const change = await this.newest(manager, request, early);
        await this.fileStore.remember(manager, request.fileHashes ?? new Map());
        if (change.snapshot === change.before) return change;
        await this.write(manager, request, change);
        const files = await this.files.stage(request.origin, change);
        staged.push(files);
        await this.fileStore.addPending(manager, files.pending);
        notify(SCHEMA_TOPIC, String(change.snapshot.version));
        return change;
      });
      this.snapshots.accept(applied.snapshot);
      for (const files of staged) await this.publish(source, files);
      return applied;
    } catch (error) {
      await Promise.all(staged.map((files) => files.discard()));
      throw error;
    }
  }

  /** Publishes the files. The change is already committed, so an error is only logged; the next start detects the state of the files. */
  private async publish(source: DataSource, files: StagedFiles): Promise<void> {
    const published = await files.publish();
    await this.fileStore.settle(source, published).catch((err: unknown) => {
      this.logger.warn({ err, msg: 'The state of the written schema files could not be stored.' });
    });
  }

  /** Prepares the change again if other changes were committed. The lock now excludes further ones. */
  private async newest(manager: EntityManager, request: ApplyRequest, early: AppliedChange): Promise<AppliedChange> {
    const current = await this.store.newest(manager, early.before);
    if (current === early.before) return early;
    const change = assertValid(await request.prepare(current));
    assertExpected(request, current, change);
    assertNoConflict(early.before, current, change);
    return { ...change, before: current };
  }

  private async write(manager: EntityManager, request: ApplyRequest, change: AppliedChange): Promise<void> {
    const { plan, snapshot, before } = change;
    await this.plans.assertKept(manager, plan);
    const isExact = request.origin === 'undo' || plan.steps.some(({ kind }) => kind === 'copy_links');
    if (isExact) await this.plans.lockDropped(manager, plan);
    const found = await asDataRefusal(() => examinePlan(manager, plan));
    const examined = request.allowRebuild === true ? await withRebuilds(manager, found) : found;
    assertApplicable(examined, allowedLoss(request));
    const rebuilds = examined.filter(({ step }) => step.kind === 'rebuild_table');
    const pending = await asDataRefusal(async () => {
      for (const { step } of rebuilds) await this.plans.runStep(manager, step);
      return this.plans.run(manager, plan);
    });
    const createdAt = this.clock.now();
    await this.plans.recordArchived(manager, plan, snapshot.version, createdAt);
    const words = examined.map(({ step }) => step.words);
    const { origin, createdBy = null } = request;
    const lossy = found.some(isLossy);
    if (pending.length > 0) {
      const dueAt = new Date(createdAt.getTime() + FINISH_AFTER_MS);
      await this.jobs.enqueue(manager, FINISH_SCHEMA, {}, { uniqueKey: '', dueAt });
    }
    await this.store.add(manager, { snapshot, before, words, pending, lossy, origin, createdBy, createdAt });
    await this.audit.write(manager, ...eventsOf(request, change, createdAt));
  }
}

function eventsOf(
  { origin, createdBy = null, requestOrigin }: ApplyRequest,
  { before, snapshot, changed, removed }: AppliedChange,
  at: Date,
): readonly AuditEvent[] {
  const actor = createdBy === null ? OPERATOR : accountActor(createdBy);
  const version = { before: before.version, after: snapshot.version };
  return [...changed, ...removed].map((name) => ({
    action: 'schema.change',
    actor,
    resource: `schema:${name}`,
    origin: requestOrigin,
    changes: {
      version,
      origin: { after: origin },
      ...(removed.includes(name) || before.schemas[name] === undefined
        ? { name: removed.includes(name) ? { before: name } : { after: name } }
        : {}),
    },
    at,
  }));
}

/** Returns which losses are allowed. An undo may drop new tables and columns that contain no data. */
function allowedLoss({ origin, allowDataLoss }: ApplyRequest): 'allow' | 'refuse' | 'refuse_rows' {
  if (origin === 'undo') return 'refuse_rows';
  return allowDataLoss === true ? 'allow' : 'refuse';
}
