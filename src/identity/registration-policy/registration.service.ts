import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import type { ActivationMethod } from '../auth/auth-config.types.js';
import { PasswordHasher } from '../users/passwords/password-hasher.port.js';
import type { User } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';
import { RegistrationGate } from './registration-gate.service.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';

/** A sign-up with a password. Its fields are already validated one by one. */
export interface LocalRegistration {
  readonly email: string;
  readonly password: string;
  readonly username?: string | null;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  readonly language?: string | null;
}

/** Issues the activation secret of a new account and enqueues its mail, in the transaction that creates the account. */
export type SendActivation = (manager: EntityManager, user: User) => Promise<void>;

/** Self-service sign-up (specification, "Account activation"). */
@Injectable()
export class RegistrationService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly gate: RegistrationGate,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * Creates an account with the role `user` and returns how it becomes active. The policy and the hooks run before the expensive hash.
   *
   * @param sendActivation called for a new account that is activated by e-mail.
   * @throws AppError as {@link RegistrationGate.admit} throws; `email_taken`, `username_taken`.
   */
  async register(
    input: LocalRegistration,
    sendActivation?: SendActivation,
    origin?: RequestOrigin,
  ): Promise<ActivationMethod> {
    const { activationMethod } = this.config.auth.local;
    const { password, firstName, lastName, language } = input;
    const { email, username } = await this.gate.admit({ ...input, provider: 'local' });
    const passwordHash = await this.hasher.hash(password);
    await this.dataSource.transaction(async (manager) => {
      const user = await this.users.create(manager, {
        email,
        username,
        firstName,
        lastName,
        language,
        passwordHash,
        provider: 'local',
        activated: activationMethod === 'auto',
        roles: ['user'],
        origin,
      });
      if (activationMethod === 'email') await sendActivation?.(manager, user);
    });
    return activationMethod;
  }
}
