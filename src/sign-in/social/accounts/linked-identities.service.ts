import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { CredentialKind, type RevokedBy } from '../../../identity/auth/credentials/credential-kind.port.js';
import type { User } from '../../../identity/users/user.entity.js';
import { mailAccount, type MailedAccount } from '../../../identity/users/users.public.js';
import { Clock } from '../../../kernel/clock.port.js';
import { newId } from '../../../kernel/keys/random.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { defineAuditActions } from '../../../platform/audit/audit.public.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import type { ProviderProfile } from '../providers/provider.types.js';

const ACTIONS = defineAuditActions('Identities', {
  'identity.link': 'A sign-in provider was linked to the account.',
  'identity.unlink': 'One or all sign-in providers were unlinked from the account.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

export const IDENTITY_UNIQUE = 'identities_issuer_subject_unique';

const WRITE = `INSERT INTO identities (id, user_id, provider, issuer, subject, email, email_verified, created_at, last_used_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`;
const OWNER = 'SELECT user_id AS "userId" FROM identities WHERE issuer = $1 AND subject = $2';
const USE = `UPDATE identities SET provider = $4, email = $5, email_verified = $6, last_used_at = $7
  WHERE user_id = $1 AND issuer = $2 AND subject = $3 RETURNING id`;

/** Identities of accounts, in the caller's transaction. */
@Injectable()
export class LinkedIdentities {
  constructor(
    private readonly mailer: Mailer,
    private readonly credentials: AccountCredentials,
    private readonly clock: Clock,
  ) {}

  /** @throws a violation of {@link IDENTITY_UNIQUE} if it is already linked to an account. */
  async write(manager: EntityManager, userId: string, provider: string, profile: ProviderProfile): Promise<string> {
    const { issuer, subject, email, emailVerified } = profile;
    const id = newId();
    await manager.query(WRITE, [id, userId, provider, issuer, subject, email, emailVerified, this.clock.now()]);
    return id;
  }

  async findOwner(manager: EntityManager, { issuer, subject }: ProviderProfile): Promise<string | null> {
    const [row] = await manager.query<{ userId: string }[]>(OWNER, [issuer, subject]);
    return row?.userId ?? null;
  }

  /** Records the use of an identity. Returns whether it is still linked to the account. Lock the account first. */
  async use(manager: EntityManager, userId: string, provider: string, profile: ProviderProfile): Promise<boolean> {
    const { issuer, subject, email, emailVerified } = profile;
    const parameters = [userId, issuer, subject, provider, email, emailVerified, this.clock.now()];
    const [rows] = await manager.query<[unknown[], number]>(USE, parameters);
    return rows.length === 1;
  }

  async notifyOwner(
    manager: EntityManager,
    user: MailedAccount & Pick<User, 'id'>,
    { provider, id }: { readonly provider: string; readonly id: string },
  ): Promise<void> {
    const revokeLink = await this.credentials.revocationLink(manager, user.id, { kind: 'identities', id });
    const variables = { provider, revokeLink };
    await mailAccount(this.mailer, manager, user, { template: 'identity-linked', variables });
  }
}

@Injectable()
export class IdentityCredentials extends CredentialKind {
  readonly name = 'identities';
  protected readonly table = 'identities';
  protected override readonly label = 'provider';
  protected override readonly detail = 'email';
  override readonly isSelectable = true;

  constructor(private readonly audit: AuditTrail) {
    super();
  }

  protected async revoked(
    manager: EntityManager,
    userId: string,
    ids: readonly string[],
    { actor, origin }: RevokedBy,
  ): Promise<void> {
    await this.audit.writeFor(manager, userId, 'identity.unlink', { actor, origin, facts: { ended: ids.length } });
  }
}
