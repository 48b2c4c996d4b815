import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { amrOf, levelOf, SECOND_LEVEL } from '../sessions/factor-classes.public.js';
import { FactorDemands } from './factor-demands.service.js';
import { MfaTokens } from './mfa-tokens.service.js';
import { SecondFactor, type SignInBinding } from './second-factor.port.js';
import { SecondFactorMethods } from './second-factor-methods.service.js';
import type { ProvenAccount } from './sign-in-method.port.js';

const HAS_FACTOR = 'SELECT 1 FROM users WHERE id = $1 AND second_factor';

/** Requires the second factor of an account, or its enrolment if a role requires one, unless the proofs are sufficient. */
@Injectable()
export class RegisteredSecondFactors extends SecondFactor {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly methods: SecondFactorMethods,
    private readonly tokens: MfaTokens,
    private readonly demands: FactorDemands,
  ) {
    super();
  }

  due(account: ProvenAccount, binding: SignInBinding = {}): null | Promise<AppError | null> {
    if (levelOf(amrOf(account)) === SECOND_LEVEL) return null;
    if (account.secondFactor !== false) return this.ask(account, binding);
    const isDue = this.demands.of(account);
    return isDue === false ? null : this.askToEnrol(isDue, account, binding);
  }

  /** Queries the factor again: the proof of an address may have revoked the factors since the account was read. */
  private async ask(account: ProvenAccount, binding: SignInBinding): Promise<AppError | null> {
    const { manager } = this.dataSource;
    if ((await manager.query<unknown[]>(HAS_FACTOR, [account.userId])).length === 0)
      return this.askToEnrol(this.demands.of(account), account, binding);
    const methods = await this.methods.listFor(manager, account.userId, amrOf(account));
    const token = await this.tokens.issue(account, binding);
    return new AppError('mfa_required', { details: { ...token, methods } });
  }

  private async askToEnrol(
    isDue: boolean | Promise<boolean>,
    account: ProvenAccount,
    binding: SignInBinding,
  ): Promise<AppError | null> {
    if (!(await isDue)) return null;
    const details = { ...(await this.tokens.issueEnrolment(account, binding)), methods: this.methods.listAddable() };
    return new AppError('mfa_enrollment_required', { status: 401, details });
  }
}
