import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { defineAuditActions, OPERATOR } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import type { Notify } from '../../../platform/events/change-notifier.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { parseEmailAddress } from '../../../kernel/text/email-address.js';
import { USER_TOPIC } from '../../../identity/users/users.public.js';
import type { ProviderProfile } from '../providers/provider.types.js';

const ACTIONS = defineAuditActions('Social login', {
  'role.grant': 'An account received the admin role through AUTH_ADMIN_EMAILS.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const CLAIM = `INSERT INTO admin_grants (email_key, user_id, granted_at) VALUES ($1, $2, $3)
  ON CONFLICT (email_key) DO NOTHING RETURNING email_key`;
const GRANT = `INSERT INTO user_roles (user_id, role_id) SELECT $1, id FROM roles WHERE name = 'admin'
  ON CONFLICT DO NOTHING RETURNING role_id`;

/**
 * Grants the admin role by `AUTH_ADMIN_EMAILS`. The first federated login with a listed,
 * provider-verified address receives it. Each address is granted once, so later changes of the role are kept.
 */
@Injectable()
export class AdminGrants {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Grants the role if it is due, in the transaction of the login. Only one of several concurrent logins receives it.
   *
   * @returns whether the account received the role now; false also if it already had the role.
   */
  async grantOnce(manager: EntityManager, notify: Notify, userId: string, profile: ProviderProfile): Promise<boolean> {
    const mailbox = profile.emailVerified && profile.email !== null ? parseEmailAddress(profile.email) : null;
    if (mailbox === null || !this.config.auth.adminEmails.includes(mailbox.key)) return false;
    const claimed = await manager.query<unknown[]>(CLAIM, [mailbox.key, userId, this.clock.now()]);
    if (claimed.length === 0) return false;
    const granted = await manager.query<unknown[]>(GRANT, [userId]);
    notify(USER_TOPIC, userId);
    await this.audit.writeFor(manager, userId, 'role.grant', { actor: OPERATOR, facts: { role: 'admin' } });
    return granted.length > 0;
  }
}
