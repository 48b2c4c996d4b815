import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { OnPreUserRegister } from '../registration-policy/on-pre-user-register.decorator.js';
import type { RegistrationInput } from '../registration-policy/registration-input.types.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.port.js';
import { emailKey } from '../users/users.service.js';

const PURPOSE = 'address-hold';

/**
 * An address that an account gave up is kept from everybody else for as long as its owner may take it back. Otherwise
 * whoever moved somebody's account to another address could register the old one, and the way back would be shut. The
 * address is kept as the secret of a one-time secret: by its keyed hash.
 */
@Injectable()
export class AddressHolds {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
  ) {}

  /** Holds an address for the account that had it. */
  async hold(manager: EntityManager, userId: string, email: string, lifetimeSeconds: number): Promise<void> {
    const request = { purpose: PURPOSE, userId, secret: emailKey(email), lifetimeSeconds, replace: false } as const;
    await this.secrets.issueToken(manager, request);
  }

  /** Ends the hold. Answers whether there was one: whether this account gave the address up within that time. */
  async release(manager: EntityManager, userId: string, email: string): Promise<boolean> {
    const grant = await this.secrets.checkToken(manager, PURPOSE, emailKey(email));
    if (typeof grant === 'string' || grant.userId !== userId) return false;
    return typeof (await this.secrets.consumeToken(manager, PURPOSE, emailKey(email))) !== 'string';
  }

  /** @throws AppError `email_taken` where the address is held for another account. */
  async assertFree(manager: EntityManager, email: string, userId?: string): Promise<void> {
    const grant = await this.secrets.checkToken(manager, PURPOSE, emailKey(email));
    if (typeof grant !== 'string' && grant.userId !== userId) throw new AppError('email_taken');
  }

  /** For sign-ups, whichever way in it is. Runs after the other hooks, which may put another address there. */
  @OnPreUserRegister({ order: Number.MAX_SAFE_INTEGER })
  async refuseHeldAddress({ email }: RegistrationInput): Promise<void> {
    await this.assertFree(this.dataSource.manager, email);
  }
}
