import { Injectable } from '@nestjs/common';
import type { BeforeWriteEvent } from '../../records/record-event.types.js';
import { BeforeWrite } from '../../records/record-hooks.decorators.js';
import { assertFreshFactor } from './assurance.public.js';

/** Writes of records that outlive a session: who has a second factor proves it for them. */
@Injectable()
export class SensitiveRecords {
  /** @throws AppError `step_up_required`. */
  @BeforeWrite('role', { order: 90 })
  @BeforeWrite('permission', { order: 90 })
  @BeforeWrite('session', { on: ['delete'], order: 90 })
  assertProven({ principal, now }: BeforeWriteEvent): void {
    assertFreshFactor(principal, now);
  }

  /** Roles are given on the account. */
  @BeforeWrite('user', { on: ['create', 'update'], order: 90 })
  assertProvenForRoles({ principal, now, named }: BeforeWriteEvent): void {
    if (named.has('roles') || named.has('email') || named.has('password')) assertFreshFactor(principal, now);
  }
}
