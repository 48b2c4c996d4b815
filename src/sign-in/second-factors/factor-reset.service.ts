import { Injectable } from '@nestjs/common';
import { RoleDirectory } from '../../identity/auth/auth.public.js';
import { AccountService } from '../../identity/auth/account.service.js';
import { User } from '../../identity/users/user.entity.js';
import { assertMayTouch } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/app-error.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/random.js';
import { actorOf } from '../../platform/audit/audit.public.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { FactorLedger } from './factor-ledger.service.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { TotpFactor } from './totp-factor.entity.js';

/** Takes the second factors of people who have lost them, and their recovery codes, too. */
@Injectable()
export class FactorReset {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly accounts: AccountService,
    private readonly roles: RoleDirectory,
    private readonly ledger: FactorLedger,
  ) {}

  /**
   * Removes all second factors of an account, ends its sessions, and tells its owner by mail.
   *
   * @throws AppError `record_not_found`; `permission_denied` for an account that may do everything, unless its like asks;
   *   `no_second_factor`.
   */
  async reset(by: AccountPrincipal, userId: string, origin: RequestOrigin): Promise<void> {
    if (!isUuid(userId)) throw new AppError('record_not_found');
    const { root } = await this.roles.permissionsOf(by);
    await this.changes.transaction(async (manager, notify) => {
      await this.ledger.lock(manager, userId);
      const user = await manager.findOneBy(User, { id: userId });
      if (user === null) throw new AppError('record_not_found');
      await assertMayTouch(manager, root, userId);
      if (!user.secondFactor) throw new AppError('no_second_factor');
      await manager.delete(TotpFactor, { userId });
      await manager.delete(Passkey, { userId });
      await this.ledger.settle(manager, userId);
      await this.accounts.endEverything(manager, notify, userId, origin);
      const event = { action: 'factor.reset', actor: actorOf(by), userId, origin, mail: 'factors-reset' } as const;
      await this.ledger.tell(manager, { ...event, variables: {} });
    });
  }
}
