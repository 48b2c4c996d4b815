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

/** A person who signs up with a password. The fields were checked one by one before. */
export interface LocalRegistration {
  readonly email: string;
  readonly password: string;
  readonly username?: string | null;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
  readonly language?: string | null;
}

/** Issues the activation secret of a new account and puts its mail into the outbox, in the transaction that makes the account. */
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
   * Makes an account with the role `user` and answers how it becomes active. The policy and the hooks come before the
   * costly hash.
   *
   * @param sendActivation what happens to a new account whose activation goes by e-mail.
   * @throws AppError what {@link RegistrationGate.admit} throws; `email_taken`, `username_taken`.
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
