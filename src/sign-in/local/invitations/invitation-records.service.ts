import { Inject, Injectable } from '@nestjs/common';
import { isLocalLoginDisabled } from '../../../identity/auth/access/disabled-when.decorator.js';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../../identity/records/record-event.types.js';
import { AfterWrite, BeforeWrite } from '../../../identity/records/record-hooks.decorators.js';
import { User } from '../../../identity/users/user.entity.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { Invitations } from './invitations.service.js';

/** Implements the field `invite` when accounts are written as records: true sends the mail (again), false revokes the invitation. */
@Injectable()
export class InvitationRecords {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly invitations: Invitations,
  ) {}

  /** @throws AppError `field_invalid` for an account that already has a sign-in method, or gets one by this write. */
  @BeforeWrite('user', { on: ['create', 'update'] })
  async check({ id, values, hidden, manager }: BeforeWriteEvent): Promise<void> {
    if (hidden['invite'] !== true) return;
    if (isLocalLoginDisabled(this.config)) throw refused('needs passwords, which are switched off');
    if (values['activated'] === true || 'password' in hidden)
      throw refused('is for accounts whose people choose the password: leave `password` and `activated` out');
    const user = id === null ? null : await manager.findOneBy(User, { id });
    if (user === null) return;
    const isOpen = user.activatedAt !== null || user.passwordHash !== null || user.provider !== 'local';
    if (isOpen) throw refused('is for accounts that nobody has signed in to');
  }

  @AfterWrite('user', { on: ['create', 'update'] })
  async follow({ id, named, manager }: AfterWriteEvent): Promise<void> {
    if (!named.has('invite')) return;
    const { invited } = await manager.findOneByOrFail(User, { id });
    if (invited) await this.invitations.send(manager, id);
    else await this.invitations.revoke(manager, id);
  }
}

function refused(message: string): AppError {
  return new AppError('field_invalid', { details: { errors: [{ field: 'invite', code: 'value_invalid', message }] } });
}
