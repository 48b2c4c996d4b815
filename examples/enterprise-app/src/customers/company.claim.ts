import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { TokenClaim, type TokenClaimContext } from 'lintel';
import { DataSource } from 'typeorm';
import { CustomersService } from './customers.service.js';

declare module 'lintel' {
  interface OwnClaims {
    x_company: string;
  }
}

/** Adds the company of a customer to the access token. The shipping service reads it, too. */
@Injectable()
export class CompanyClaim {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly customers: CustomersService,
  ) {}

  /** Returns the company of an account. Called for each sign-in and refresh; without a company there is no claim. */
  @TokenClaim('x_company')
  async company({ userId }: TokenClaimContext): Promise<string | undefined> {
    const customer = await this.customers.find(this.dataSource.manager, userId);
    return customer?.company === '' ? undefined : customer?.company;
  }
}
