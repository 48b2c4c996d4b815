import { Injectable } from '@nestjs/common';
import { laterActor } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { BULK_CHANGE } from './bulk-change-job.service.js';
import { BulkChangeStore } from './bulk-change-store.service.js';
import type { BulkChange } from './bulk-change.entity.js';
import type { BulkChangeBody, ToldBulkChange } from './bulk-changes.dto.js';
import { BulkRecords } from './bulk-records.service.js';

@Injectable()
export class BulkChanges {
  constructor(
    private readonly store: BulkChangeStore,
    private readonly records: BulkRecords,
    private readonly jobs: Jobs,
  ) {}

  /** @throws AppError the errors of the same change in one request; `validation_failed`, `bulk_changes_pending`. */
  async begin(
    principal: AccountPrincipal,
    { schema, action, filter, values }: BulkChangeBody,
  ): Promise<ToldBulkChange> {
    if (action === 'update' && !values)
      throw AppError.validation([{ field: 'values', code: 'required', message: 'is required' }]);
    if (action !== 'update' && values)
      throw AppError.validation([
        { field: 'values', code: 'value_invalid', message: `is for updates, not for ${action}` },
      ]);
    const body = action === 'update' ? JSON.stringify(values) : null;
    const work = { schema, action, filter: JSON.stringify(filter), values: body };
    const id = await this.store.transaction(async (manager) => {
      const found = await this.records.of(work, principal, manager).look();
      const request = { ...work, ...found, ownerId: principal.userId, actor: laterActor(principal) };
      const begun = await this.store.begin(manager, request);
      if (begun === null) throw new AppError('bulk_changes_pending');
      await this.jobs.enqueue(manager, BULK_CHANGE, { change: begun });
      return begun;
    });
    return this.get(principal, id);
  }

  async list({ userId }: AccountPrincipal): Promise<readonly ToldBulkChange[]> {
    return (await this.store.list(userId)).map(toResponse);
  }

  /** @throws AppError `bulk_change_not_found` */
  async get({ userId }: AccountPrincipal, id: string): Promise<ToldBulkChange> {
    const found = isUuid(id) ? await this.store.find(id) : null;
    if (found?.ownerId !== userId) throw new AppError('bulk_change_not_found');
    return toResponse(found);
  }

  /**
   * Cancels a change after its current transaction. Records that are already changed stay changed.
   *
   * @throws AppError `bulk_change_not_found`, `bulk_change_ended`
   */
  async cancel(principal: AccountPrincipal, id: string): Promise<ToldBulkChange> {
    await this.get(principal, id);
    if (!(await this.store.end(id, 'cancelled'))) throw new AppError('bulk_change_ended');
    return this.get(principal, id);
  }
}

function toResponse({ id, schema, action, state, total, seen, changed, error, ...times }: BulkChange): ToldBulkChange {
  return {
    id,
    schema,
    action,
    state,
    total,
    seen,
    changed,
    error,
    created_at: times.createdAt.toISOString(),
    updated_at: times.updatedAt.toISOString(),
    expires_at: times.expiresAt.toISOString(),
  };
}
