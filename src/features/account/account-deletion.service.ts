import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountErasure, type ErasedRelation } from '../../data/content/accounts/account-erasure.service.js';
import { ErasurePreview, ErasureEffects } from '../../data/content/accounts/erasure-preview.service.js';
import type { ClientContext } from '../../identity/auth/auth.public.js';
import { DUE_PROOFS, type DueProof, FreshProof } from '../../identity/assurance/step-up/fresh-proof.service.js';
import { isLastRoot, mailAccount, type MailedAccount } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { parseEmailAddress } from '../../kernel/text/email-address.js';
import { Clock } from '../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { defineAuditActions } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { SEND_MAIL } from '../../platform/mail/outbox-mailer.service.js';
import { Mailer } from '../../platform/mail/mailer.port.js';

const ACTIONS = defineAuditActions('Own account', {
  'account.export': 'A user downloaded the data of their account.',
  'account.erase':
    'A user deleted their account. `records` contains the numbers of deleted, kept and anonymised records.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Effects of an account deletion, and the proof that it requires. */
export class DeletionEffects extends ErasureEffects {
  @ApiProperty({
    enum: [...DUE_PROOFS, null],
    nullable: true,
    type: String,
    description:
      '`password`: `current_password` is required. `sign_in`: a new sign-in is required. null: no further proof is required.',
  })
  readonly proof: DueProof | null;
  @ApiProperty({ description: 'The account cannot be deleted, because it is the last administrator.' })
  readonly last_administrator: boolean;
}

/** Ensures that the account is active and the session valid. Only one of several concurrent requests finds the account. */
const LOCK = `SELECT u.email, u.email_verified_at AS "emailVerifiedAt", u.first_name AS "firstName", u.language
  FROM users u JOIN sessions s ON s.user_id = u.id
  WHERE u.id = $1 AND u.activated AND s.id = $2 AND s.expires_at > $3 FOR UPDATE OF u, s`;

/** Deletes accounts on request of their owners (ADR 0057). */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly proof: FreshProof,
    private readonly preview: ErasurePreview,
    private readonly erasure: AccountErasure,
    private readonly jobs: Jobs,
    private readonly mailer: Mailer,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Returns the effects of {@link remove} without changing anything. */
  async effectsFor(account: AccountPrincipal): Promise<DeletionEffects> {
    const { manager } = this.dataSource;
    const effects = await this.preview.of(account.userId);
    const proof = await this.proof.due(account);
    return { ...effects, proof, last_administrator: await isLastRoot(manager, account.userId) };
  }

  /**
   * Deletes the caller's account with all its credentials, and treats its records as their relations define. All of it is one transaction.
   *
   * @throws AppError `token_invalid` if a concurrent request was faster; `last_root_account`, `record_in_use`, and the errors of a fresh
   * proof.
   */
  async remove(account: AccountPrincipal, password: string | null | undefined, client: ClientContext): Promise<void> {
    await this.proof.assert(account, password, client);
    await this.changes.transaction(async (manager) => {
      const { userId, sessionId } = account;
      const [user] = await manager.query<MailedAccount[]>(LOCK, [userId, sessionId, this.clock.now()]);
      if (user === undefined) throw new AppError('token_invalid');
      const erased = await this.erasure.erase(manager, { account, origin: client });
      await this.audit.writeFor(manager, userId, 'account.erase', { origin: client, facts: recordsOf(erased) });
      await this.sendDeletionMail(manager, user);
    });
  }

  /** Withdraws the pending mails to the user, and enqueues one that confirms the deletion. */
  private async sendDeletionMail(manager: EntityManager, user: MailedAccount) {
    const recipient = parseEmailAddress(user.email)?.ascii;
    if (recipient !== undefined) await this.jobs.withdraw(manager, SEND_MAIL, { recipient });
    await mailAccount(this.mailer, manager, user, { template: 'account-deleted', variables: {} });
  }
}

function recordsOf(erased: readonly ErasedRelation[]): Readonly<Record<string, unknown>> {
  const counts = erased.map(({ schema, field, action, count }) => [`${schema}.${field}`, { [action]: count }]);
  return { records: Object.fromEntries(counts) as unknown };
}
