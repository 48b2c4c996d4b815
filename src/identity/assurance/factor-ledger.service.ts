import { mailAccount, type MailedAccount } from '../users/users.public.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestOrigin } from '../../kernel/principal.types.js';
import { defineAuditActions } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { Mailer, type MailVariables } from '../../platform/mail/mailer.port.js';

const ACTIONS = defineAuditActions('Second factors', {
  'factor.add': 'A second factor was added. It is required from then on.',
  'factor.remove': 'A second factor was removed.',
  'factor.codes': 'Recovery codes were created. The previous codes were revoked.',
  'factor.reset': 'An administrator removed all second factors of an account.',
  'factor.plan': 'An administrator scheduled the removal of all second factors of an account.',
  'factor.keep':
    'A scheduled removal of second factors was cancelled, by an administrator or because the owner used a factor.',
  'factor.copy':
    'A passkey was rejected because its signature counter was already used, so a copy of the passkey exists.',
  'factor.recover': 'A recovery code was used instead of a second factor.',
  'device.remember': 'A browser was remembered. It does not need the second factor again for some days.',
  'device.forget': 'A remembered browser was removed by the account owner.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** The mails about changes, by action. The other actions send none. */
const MAILS = {
  'factor.add': 'factor-added',
  'factor.remove': 'factor-removed',
  'factor.codes': 'recovery-codes-made',
  'factor.reset': 'factors-reset',
  'factor.plan': 'factors-reset-planned',
  'factor.copy': 'passkey-copied',
  'factor.recover': 'recovery-code-used',
} as const;

interface FactorChange {
  readonly userId: string;
  /** The actor, as named in the audit log. Default: the account itself. */
  readonly actor?: string | undefined;
  readonly origin?: RequestOrigin | undefined;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Also deletes the remembered browsers, and the recovery codes of an account without a factor, because they are useless. */
const SETTLE = `WITH forgotten AS (
    DELETE FROM remembered_devices WHERE user_id = $1
  ), owned AS (
    SELECT EXISTS (SELECT 1 FROM totp_factors WHERE user_id = $1 AND expires_at IS NULL)
      OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1) AS has
  ), codes AS (
    DELETE FROM recovery_codes USING owned WHERE user_id = $1 AND NOT owned.has
  )
  UPDATE users SET second_factor = owned.has FROM owned WHERE id = $1`;
const ADDRESSEE = `SELECT email, email_verified_at AS "emailVerifiedAt", first_name AS "firstName", language
  FROM users WHERE id = $1`;

/** Maintains the flag `users.second_factor`, and reports changes to the owner and the audit log. */
@Injectable()
export class FactorLedger {
  constructor(
    private readonly mailer: Mailer,
    private readonly audit: AuditTrail,
  ) {}

  /** Updates the flag of the account after a change of its factors. The account must be locked, so that no sign-in completes meanwhile. Remembered browsers must prove a second factor again. */
  async settle(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(SETTLE, [userId]);
  }

  /** Writes the audit log only, in the caller's transaction. */
  async record(
    manager: EntityManager,
    action: keyof typeof ACTIONS,
    { userId, ...event }: FactorChange,
  ): Promise<void> {
    await this.audit.writeFor(manager, userId, action, event);
  }

  /** Notifies the owner by mail and writes the audit log, in the caller's transaction. */
  async report<A extends keyof typeof MAILS>(
    manager: EntityManager,
    action: A,
    change: FactorChange,
    variables: MailVariables[(typeof MAILS)[A]],
  ): Promise<void> {
    await this.record(manager, action, change);
    const [user] = await manager.query<MailedAccount[]>(ADDRESSEE, [change.userId]);
    if (user !== undefined) await mailAccount(this.mailer, manager, user, { template: MAILS[action], variables });
  }
}
