import { mailAddressee, type MailedAccount } from '../../identity/users/users.public.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RememberedDevices } from '../../identity/auth/devices/remembered-devices.service.js';
import { Clock } from '../../kernel/clock.port.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';
import { accountActor, defineAuditActions, factsOf } from '../../platform/audit/audit.public.js';
import type { AuditAction } from '../../platform/audit/audit.types.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import type { MailVariables } from '../../platform/mail/mailer.port.js';
import { Mailer } from '../../platform/mail/mailer.port.js';

const ACTIONS = defineAuditActions('Second factors', {
  'factor.add': 'A second factor was added, and is asked for from then on.',
  'factor.remove': 'A second factor was removed.',
  'factor.codes': 'Recovery codes were made; those of before have ended.',
  'factor.reset': 'An administrator removed all second factors of an account.',
  'factor.plan': 'An administrator asked for the removal of all second factors of an account, which waits.',
  'factor.keep': 'Such a removal was called off, by an administrator or because its owner used a factor.',
  'factor.copy': 'A passkey signed with a counter that was used before: there is a copy of it. It was refused.',
  'factor.recover': 'A recovery code was used in place of a second factor.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

type FactorMail =
  | 'passkey-copied'
  | 'factors-reset'
  | 'factors-reset-planned'
  | 'factor-added'
  | 'factor-removed'
  | 'recovery-codes-made'
  | 'recovery-code-used';

export interface FactorNote {
  readonly action: Extract<AuditAction, keyof typeof ACTIONS>;
  readonly userId: string;
  /** The actor, as named in the audit log. Default: the account itself. */
  readonly actor?: string;
  readonly origin?: RequestOrigin | undefined;
  readonly facts?: Readonly<Record<string, unknown>>;
}

export interface FactorEvent<T extends FactorMail = FactorMail> extends FactorNote {
  readonly mail: T;
  readonly variables: MailVariables[T];
}

/** Also deletes the recovery codes of an account without a factor, because they are useless. */
const SETTLE = `WITH owned AS (
    SELECT EXISTS (SELECT 1 FROM totp_factors WHERE user_id = $1 AND expires_at IS NULL)
      OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1) AS has
  ), codes AS (
    DELETE FROM recovery_codes USING owned WHERE user_id = $1 AND NOT owned.has
  )
  UPDATE users SET second_factor = owned.has FROM owned WHERE id = $1`;
const LOCK = 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE';
const ADDRESSEE = `SELECT email, email_verified_at AS "emailVerifiedAt", first_name AS "firstName", language
  FROM users WHERE id = $1`;

/** Maintains the flag `users.second_factor`, and reports changes to the owner and the audit log. */
@Injectable()
export class FactorLedger {
  constructor(
    private readonly mailer: Mailer,
    private readonly audit: AuditTrail,
    private readonly devices: RememberedDevices,
    private readonly clock: Clock,
  ) {}

  /** Locks the account, in the caller's transaction. Changes of its factors are thereby serialised, and no sign-in completes meanwhile. */
  async lock(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(LOCK, [userId]);
  }

  /**
   * Updates the flag of the account after a change of its factors, in the caller's transaction. Remembered browsers must prove a second
   * factor again.
   */
  async settle(manager: EntityManager, userId: string): Promise<void> {
    await this.devices.forgetAll(manager, userId);
    await manager.query(SETTLE, [userId]);
  }

  /** Writes the audit log only, in the caller's transaction. */
  async note(manager: EntityManager, { action, userId, actor, origin, facts = {} }: FactorNote): Promise<void> {
    const [resource, at] = [`user:${userId}`, this.clock.now()];
    const event = { action, actor: actor ?? accountActor(userId), resource, origin, changes: factsOf(facts), at };
    await this.audit.write(manager, event);
  }

  /** Notifies the owner by mail and writes the audit log, in the caller's transaction. */
  async tell<T extends FactorMail>(manager: EntityManager, event: FactorEvent<T>): Promise<void> {
    const { userId, mail: template, variables } = event;
    await this.note(manager, event);
    const [user] = await manager.query<MailedAccount[]>(ADDRESSEE, [userId]);
    const addressee = user === undefined ? null : mailAddressee(user);
    if (addressee === null) return;
    await this.mailer.enqueue(manager, { template, ...addressee, variables });
  }
}
