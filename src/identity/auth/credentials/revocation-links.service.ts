import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { definePurpose, OneTimeSecrets } from '../../secrets/one-time-secrets.port.js';
import { AccountCredentials } from './account-credentials.service.js';

interface RevocableCredential {
  readonly kind: string;
  readonly id: string;
}

/** The link in the mail about a new credential. It survives a password change, because an attacker could change the password. */
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

  async issue(manager: EntityManager, userId: string, data: RevocableCredential): Promise<string> {
    const request = { purpose: CREDENTIAL_REVOCATION, userId, lifetimeSeconds: LIFETIME_SECONDS, replace: false };
    const { secret } = await this.secrets.issueToken(manager, { ...request, data });
    return `${this.config.appUrl}/auth/credentials/revoke?token=${secret}`;
  }

  /**
   * Also revokes all sessions, because one of them created the credential. An already removed credential is not an error.
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
