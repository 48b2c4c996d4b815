import { Injectable } from '@nestjs/common';
import { assuranceOf, isFresh, stepUpRequired } from '../../auth/access/assurance.public.js';
import type { BeforeWriteEvent } from '../../records/record-event.types.js';
import { BeforeWrite } from '../../records/record-hooks.decorators.js';

const SENSITIVE = ['roles', 'email', 'email_verified_at', 'username', 'password', 'activated', 'invite'] as const;

/** Requires a fresh proof of the second factor, if there is one, for record writes that outlive the session. */
@Injectable()
export class SensitiveRecords {
  /** @throws AppError `step_up_required`. */
  @BeforeWrite('role', { order: 90 })
  @BeforeWrite('permission', { order: 90 })
  @BeforeWrite('session', { on: ['delete'], order: 90 })
  @BeforeWrite('user', { on: ['delete'], order: 90 })
  assertProven({ principal, now }: BeforeWriteEvent): void {
    const assurance = assuranceOf(principal);
    if (assurance?.hasFactor === true && !isFresh(assurance, now.getTime())) throw stepUpRequired(assurance);
  }

  @BeforeWrite('user', { on: ['create', 'update'], order: 90 })
  assertProvenForRoles(event: BeforeWriteEvent): void {
    if (SENSITIVE.some((field) => event.named.has(field))) this.assertProven(event);
  }
}
