import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type AccountDataRequest,
  type BeforeLoginEvent,
  Clock,
  type CredentialsEndedEvent,
  type LoggedInEvent,
  OnAccountExport,
  OnBeforeLogin,
  OnCredentialsEnded,
  OnLoggedIn,
  OnPasswordChanged,
  OnSessionEnded,
  OnUserRegistered,
  type PasswordChangedEvent,
  type SessionEndedEvent,
  type UserRegisteredEvent,
} from 'lintel';
import { DataSource } from 'typeorm';
import { CustomerBlocked } from './customers.errors.js';
import { CustomersService } from './customers.service.js';

/** Hooks for accounts and sessions. Each runs in the transaction of its event. */
@Injectable()
export class CustomerLifecycle {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly customers: CustomersService,
    private readonly clock: Clock,
  ) {}

  /** Creates a customer for each account, in the same transaction. */
  @OnUserRegistered()
  async add({ manager, account }: UserRegisteredEvent): Promise<void> {
    await this.customers.add(manager, account.id);
  }

  /** Rejects blocked customers with any sign-in method. */
  @OnBeforeLogin()
  async refuse({ manager, account }: BeforeLoginEvent): Promise<void> {
    const customer = await this.customers.find(manager, account.id);
    if (customer?.blocked === true) throw new CustomerBlocked();
  }

  @OnLoggedIn()
  async begin({ manager, account }: LoggedInEvent): Promise<void> {
    await this.customers.countSession(manager, account.id, 1);
  }

  @OnSessionEnded()
  async end({ manager, account }: SessionEndedEvent): Promise<void> {
    await this.customers.countSession(manager, account.id, -1);
  }

  @OnPasswordChanged()
  async note({ manager, account }: PasswordChangedEvent): Promise<void> {
    await this.customers.change(manager, account.id, { passwordChangedAt: this.clock.now() });
  }

  /** Removes an account from its company when its address is verified for the first time. An earlier registrant of the address keeps no access to the company. */
  @OnCredentialsEnded()
  async leave({ manager, account }: CredentialsEndedEvent): Promise<void> {
    await this.customers.change(manager, account.id, { company: '' });
  }

  /** Part of the data export of an account. */
  @OnAccountExport('acme_customer')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    const customer = await this.customers.find(this.dataSource.manager, userId);
    return customer === null ? [] : [{ company: customer.company, password_changed_at: customer.passwordChangedAt }];
  }
}
