import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { definePurpose, OneTimeSecrets } from '../../secrets/one-time-secrets.port.js';
import { AccountCredentials } from './account-credentials.service.js';

/** A credential that a link revokes. */
interface RevocableCredential {
  /** The name of its kind. */
  readonly kind: string;
  readonly id: string;
}

/** The link in the mail about a new credential. It outlives a password change: the thief could make one. */
export const CREDENTIAL_REVOCATION = definePurpose<RevocableCredential>('credential-revoke', { lasting: true });

const LIFETIME_SECONDS = 7 * 86_400;

/** Links in notification mails that revoke the new credential: single use, 7 days. */
@Injectable()
export class RevocationLinks {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly secrets: OneTimeSecrets,
    private readonly credentials: AccountCredentials,
  ) {}

  /** Returns the link for a new credential of an account, in the caller's transaction. */
  async issue(manager: EntityManager, userId: string, data: RevocableCredential): Promise<string> {
    const request = { purpose: CREDENTIAL_REVOCATION, userId, lifetimeSeconds: LIFETIME_SECONDS, replace: false };
    const { secret } = await this.secrets.issueToken(manager, { ...request, data });
    return `${this.config.appUrl}/auth/credentials/revoke?token=${secret}`;
  }

  /**
   * Revokes the credential of a link, and every session: one of them created it. A credential that was removed already is not an
   * error.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async use(token: string, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const grant = await this.secrets.consumeToken(manager, CREDENTIAL_REVOCATION, token);
      if (typeof grant === 'string')
        throw AppError.mailedToken(grant === 'expired' ? 'token_expired' : 'token_invalid');
      const { userId, data } = grant;
      await this.credentials.find(data.kind)?.revokeOne(manager, userId, data.id, { origin });
      await this.credentials.revokeSessions(manager, notify, userId, { origin });
    });
  }
}
