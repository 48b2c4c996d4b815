import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { contentLimits } from '../../data/content/content.public.js';
import { Content } from '../../data/content/content.service.js';
import { SchemaSnapshots } from '../../data/schema/schema-snapshots.service.js';
import { findSchema } from '../../data/schema/schema.public.js';
import { type JobActor, jobActor, JobPrincipals } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { defineLimit } from '../../kernel/limits.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import type { Job } from '../../platform/jobs/jobs.public.js';
import {
  defineOperation,
  type Operation,
  operationFacts,
  type OperationPayload,
} from '../../platform/operations/operations.public.js';
import { Operations } from '../../platform/operations/operations.service.js';
import type { BulkChangeBody, BulkState, BulkChangeStatus } from './bulk-changes.dto.js';
import { type BulkWork, FilteredRecords } from './filtered-records.js';

interface BulkInput extends BulkWork {
  /** The last key at the start, where the change ends. Null if no record matched. */
  readonly untilKey: string | null;
  /** The principal that the job runs as: the account of its owner, with an API key or a session. */
  readonly actor: JobActor;
}

type BulkChange = Operation<BulkState, BulkInput, { readonly changed: number }>;

export const BULK_CHANGE = defineOperation<BulkChange>('bulk.change', {
  running: ['running'],
  limit: {
    states: ['running'],
    maximum: defineLimit(5, 'Content', 'running bulk changes of one account', 'bulk_changes_pending'),
    error: 'bulk_changes_pending',
  },
  errors: { missing: 'bulk_change_not_found', ended: 'bulk_change_ended' },
});

/** Upper limit per transaction, because others may have to wait for a lock on these records. @internal */
const BATCH_SIZE = 200;

@Injectable()
export class BulkChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly operations: Operations,
    private readonly content: Content,
    private readonly snapshots: SchemaSnapshots,
    private readonly principals: JobPrincipals,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws AppError the errors of the same change in one request; `validation_failed`, `bulk_changes_pending`. */
  async start(
    principal: AccountPrincipal,
    { schema, action, filter, values }: BulkChangeBody,
  ): Promise<BulkChangeStatus> {
    if (action === 'update' && !values)
      throw AppError.validation([{ field: 'values', code: 'required', message: 'is required' }]);
    if (action !== 'update' && values)
      throw AppError.validation([
        { field: 'values', code: 'value_invalid', message: `is for updates, not for ${action}` },
      ]);
    const body = action === 'update' ? JSON.stringify(values) : null;
    const work = { schema, action, filter: JSON.stringify(filter), values: body };
    return this.dataSource.transaction(async (manager) => {
      const { total, untilKey } = await this.records(work, principal, manager).countMatching();
      const input = { ...work, untilKey, actor: jobActor(principal) };
      const change = { ownerId: principal.userId, state: 'running', total, input, progress: { changed: 0 } } as const;
      return bulkChangeStatus(await this.operations.start(BULK_CHANGE, change, manager));
    });
  }

  @RunsJob(BULK_CHANGE.job)
  run(job: Job<OperationPayload>): Promise<void> {
    return this.operations.run(BULK_CHANGE, job, { running: (change) => this.changeNext(change) });
  }

  /** Changes the next records. Without a further record, the change is done. */
  private async changeNext({ id, ownerId, input }: BulkChange): Promise<void> {
    const { untilKey } = input;
    const principal = await this.principals.of(ownerId, input.actor);
    const target = { kind: BULK_CHANGE, id, from: ['running'] } as const;
    await this.operations.change(target, async ({ done, cursor, progress }, manager) => {
      const part = await this.records(input, principal, manager).changeNext({ lastKey: cursor, untilKey });
      if (part.lastKey === null) return { state: 'done' };
      const changed = progress.changed + part.changed;
      return { done: done + part.seen, cursor: part.lastKey, progress: { changed } };
    });
  }

  /** @throws AppError `schema_not_found`. Other errors are thrown by the methods of the result. */
  private records(work: BulkWork, principal: AccountPrincipal, manager: EntityManager): FilteredRecords {
    const schema = findSchema(this.snapshots.current, work.schema);
    if (schema === undefined) throw new AppError('schema_not_found');
    const { maxPageSize, bulkRecords } = contentLimits(this.config);
    const records = this.content.as(principal).in(manager).schema(schema.name);
    return new FilteredRecords(records, work, schema.primaryField, Math.min(BATCH_SIZE, maxPageSize, bulkRecords));
  }
}

export function bulkChangeStatus(change: BulkChange): BulkChangeStatus {
  const { state, total, done, input, progress } = change;
  const { schema, action } = input;
  return { ...operationFacts(change), schema, action, state, total, seen: done, changed: progress.changed };
}
