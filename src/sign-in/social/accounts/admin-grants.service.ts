import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import type { Notify } from '../../../platform/events/change-notifier.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { parseEmailAddress } from '../../../kernel/email-address.js';
import { USER_TOPIC } from '../../../identity/users/users.public.js';
import type { ProviderProfile } from '../providers/provider.types.js';

const CLAIM = `INSERT INTO admin_grants (email_key, user_id, granted_at) VALUES ($1, $2, $3)
  ON CONFLICT (email_key) DO NOTHING RETURNING email_key`;
const GRANT = `INSERT INTO user_roles (user_id, role_id) SELECT $1, id FROM roles WHERE name = 'admin'
  ON CONFLICT DO NOTHING RETURNING role_id`;

/**
 * The admin role by `AUTH_ADMIN_EMAILS` (specification, "Authentication", 7): for the first federated login whose
 * provider-verified address stands there. Each address is granted once, ever; what became of the role later stays.
 */
@Injectable()
export class AdminGrants {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Grants the role where it is due, in the transaction of the login: of many at once one wins.
   *
   * @returns whether the account received it now; it may have had the role before.
   */
  async grantOnce(manager: EntityManager, notify: Notify, userId: string, profile: ProviderProfile): Promise<boolean> {
    const mailbox = profile.emailVerified && profile.email !== null ? parseEmailAddress(profile.email) : null;
    if (mailbox === null || !this.config.auth.adminEmails.includes(mailbox.key)) return false;
    const claimed = await manager.query<unknown[]>(CLAIM, [mailbox.key, userId, this.clock.now()]);
    if (claimed.length === 0) return false;
    const given = await manager.query<unknown[]>(GRANT, [userId]);
    notify(USER_TOPIC, userId);
    return given.length > 0;
  }
}
