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

/** Follows accounts and sessions, each time in the transaction of what it hears of. */
@Injectable()
export class CustomerLife {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly customers: CustomersService,
    private readonly clock: Clock,
  ) {}

  /** Adds a customer: each account is one, or there is no account. */
  @OnUserRegistered()
  async add({ manager, account }: UserRegisteredEvent): Promise<void> {
    await this.customers.add(manager, account.id);
  }

  /** Refuses blocked customers, whichever way they sign in. */
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

  /** Takes an account out of its company. The address has its owner now: whoever opened the account before stays in no company by it. */
  @OnCredentialsEnded()
  async leave({ manager, account }: CredentialsEndedEvent): Promise<void> {
    await this.customers.change(manager, account.id, { company: '' });
  }

  /** Stands in what people are handed who ask for everything about them. */
  @OnAccountExport('acme_customer')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    const customer = await this.customers.find(this.dataSource.manager, userId);
    return customer === null ? [] : [{ company: customer.company, password_changed_at: customer.passwordChangedAt }];
  }
}
