import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { RoleDirectory } from '../auth/auth.public.js';
import { amrOf, levelOf, REMEMBERED, SECOND_LEVEL } from '../auth/access/assurance.public.js';
import { type DueFactor, SecondFactor, type SignInBinding } from '../auth/sign-in/second-factor.port.js';
import type { ProvenAccount } from '../auth/sign-in/sign-in-method.port.js';
import { RememberedDevices } from './devices/remembered-devices.service.js';
import { FactorProofs } from './factor-proofs.service.js';
import { ENROLMENT_TOKEN, MfaTokens } from './mfa-tokens/mfa-tokens.service.js';

const HAS_FACTOR = 'SELECT 1 FROM users WHERE id = $1 AND second_factor';
const FIND_WITHOUT_FACTOR = `SELECT (extract(epoch FROM u.created_at) * 1000)::float8 AS "sinceMs",
  array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id) AS "roleIds"
  FROM users u WHERE u.id = $1 AND NOT u.second_factor`;

/** Requires the second factor of an account, or its enrolment if a role requires one, unless the proofs are sufficient. */
@Injectable()
export class RequiredFactors extends SecondFactor {
  constructor(
    private readonly dataSource: DataSource,
    private readonly factors: FactorProofs,
    private readonly tokens: MfaTokens,
    private readonly devices: RememberedDevices,
    private readonly roles: RoleDirectory,
    private readonly clock: Clock,
  ) {
    super();
  }

  due(account: ProvenAccount, binding: SignInBinding = {}): DueFactor | Promise<DueFactor> {
    if (levelOf(amrOf(account)) === SECOND_LEVEL) return null;
    if (account.secondFactor !== false) return this.requireFactor(account, binding);
    const isAny = this.roles.demandsAnyFactor();
    return isAny === false ? null : this.requireEnrolment(isAny, account, binding);
  }

  /** Queries the factor again: the proof of an address may have revoked the factors since the account was read. */
  private async requireFactor(proven: ProvenAccount, binding: SignInBinding): Promise<DueFactor> {
    const account = await this.withDevice(proven);
    if (levelOf(amrOf(account)) === SECOND_LEVEL) return account;
    const { manager } = this.dataSource;
    if ((await manager.query<unknown[]>(HAS_FACTOR, [account.userId])).length === 0)
      return this.requireEnrolment(this.roles.demandsAnyFactor(), account, binding);
    const methods = await this.factors.listFor(manager, account.userId, amrOf(account));
    const token = await this.tokens.issue(account, binding);
    return new AppError('mfa_required', { details: { ...token, methods } });
  }

  /** A remembered browser replaces the second factor, but is not a fresh proof. */
  private async withDevice(account: ProvenAccount): Promise<ProvenAccount> {
    if (!(await this.devices.recognize(account.userId, account.client))) return account;
    return { ...account, amr: [...amrOf(account), REMEMBERED] };
  }

  private async requireEnrolment(
    isAnyRequired: boolean | Promise<boolean>,
    account: ProvenAccount,
    binding: SignInBinding,
  ): Promise<AppError | null> {
    if (!(await isAnyRequired) || !(await this.isRequiredByRole(account.userId))) return null;
    const token = await this.tokens.issue(account, binding, ENROLMENT_TOKEN);
    const details = { ...token, methods: this.factors.listAddable() };
    return new AppError('mfa_enrollment_required', { status: 401, details });
  }

  /** Returns whether a role requires a second factor of an account that has none. */
  private async isRequiredByRole(userId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ sinceMs: number; roleIds: string[] }[]>(FIND_WITHOUT_FACTOR, [userId]);
    return row !== undefined && this.roles.demandsFactorOf(row.roleIds, row.sinceMs, this.clock.nowMs());
  }
}
