import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { ActivationMethod, Config } from '../config/config.types.js';
import { PasswordHasher } from '../users/password-hasher.port.js';
import { UsersService } from '../users/users.service.js';

/** A person who signs up with a password. The fields were checked one by one before. */
export interface LocalRegistration {
  readonly email: string;
  readonly password: string;
  readonly username?: string | null;
  readonly firstName?: string | null;
  readonly lastName?: string | null;
}

/** Self-service sign-up (specification, "Account activation"). */
@Injectable()
export class RegistrationService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * Makes an account with the role `user` and answers how it becomes active.
   *
   * @throws AppError `email_taken`, `username_taken`.
   */
  async register(input: LocalRegistration): Promise<ActivationMethod> {
    const { activationMethod } = this.config.auth.local;
    const { password, ...fields } = input;
    await this.users.assertFree(fields.email, fields.username);
    const passwordHash = await this.hasher.hash(password);
    await this.dataSource.transaction((manager) =>
      this.users.create(manager, {
        ...fields,
        passwordHash,
        provider: 'local',
        activated: activationMethod === 'auto',
        roles: ['user'],
      }),
    );
    return activationMethod;
  }
}
