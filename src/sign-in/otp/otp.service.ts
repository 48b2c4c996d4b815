import { mailAccount } from '../../identity/users/users.public.js';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LoginThrottle } from '../../identity/auth/login-throttle.service.js';
import { AddressProofs } from '../../identity/auth/address-proofs.service.js';
import { CodeRequesters, type RequesterAddress } from '../../identity/auth/code-requesters/code-requesters.service.js';
import { AddressRequests } from '../../identity/auth/address-requests.service.js';
import type { ClientContext } from '../../identity/auth/auth.public.js';
import { isOtpDisabled } from '../../identity/auth/access/disabled-when.decorator.js';
import {
  type OfferedMethods,
  OtpLogin,
  ProofRefused,
  type ProvenAccount,
} from '../../identity/auth/sign-in/sign-in-method.port.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { RateLimiter } from '../../platform/http/rate-limit/rate-limiter.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import { Mailer } from '../../platform/mail/mailer.port.js';
import { definePurpose, OneTimeSecrets } from '../../identity/secrets/one-time-secrets.port.js';
import type { User } from '../../identity/users/user.entity.js';
import { UsersService } from '../../identity/users/users.service.js';

/** Minimum time between two mails to one address. A code that is already mailed stays valid. */
const MAIL_PAUSE_MS = 30_000;

const IS_MAILED = 'SELECT 1 FROM one_time_secrets WHERE user_id = $1 AND purpose = $2 AND created_at > $3 LIMIT 1';

export const OTP_CODE = definePurpose<{ readonly email: string }>('otp');

@Injectable()
export class OtpService extends OtpLogin implements OnModuleInit {
  readonly names = ['otp'];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly requests: AddressRequests,
    private readonly users: UsersService,
    private readonly secrets: OneTimeSecrets,
    private readonly throttle: LoginThrottle,
    private readonly requesters: CodeRequesters,
    private readonly proofs: AddressProofs,
    private readonly limiter: RateLimiter,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {
    super();
  }

  onModuleInit(): void {
    this.requests.handle('otp', (manager, user, data) => this.sendCode(manager, user, data));
  }

  offer(): Partial<OfferedMethods> {
    return { otp: !isOtpDisabled(this.config) };
  }

  /**
   * Always empty. Mailed codes need no stored credential and can be disabled at any time, so they never count as the last sign-in method of
   * an account.
   */
  listFor(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** Stores the request. A background job mails the code if the address belongs to an active account. */
  async request(email: string, client: ClientContext): Promise<void> {
    await this.requests.submit('otp', email, { address: this.requesters.addressOf(client) });
  }

  /**
   * Checks the code and returns the account. A wrong, expired or used code, an unknown address and an inactive account all return the same
   * error. A right code proves the address.
   *
   * @throws AppError `otp_disabled`, `rate_limited`, `otp_invalid`.
   */
  async verify(email: string, code: string, client: ClientContext): Promise<ProvenAccount> {
    if (isOtpDisabled(this.config)) throw new AppError('otp_disabled');
    const user = await this.users.findByAddress(email);
    const mailbox = this.throttle.mailbox(email);
    await this.throttle.consume('first-mailed-code', mailbox, client);
    const grant = await this.tryCode(user, mailbox, code, client);
    const attempt = { userId: user?.id ?? null, provider: 'otp', client };
    if (grant === 'invalid' || user === null || !user.activated) throw new ProofRefused('otp_invalid', attempt);
    await this.throttle.succeed('sign-in-code', mailbox, client);
    const credentialsVersion = await this.proofs.settle(user, grant.data.email);
    if (credentialsVersion === null) throw new ProofRefused('otp_invalid', attempt);
    const { id: userId, secondFactor } = user;
    return { userId, provider: 'otp', client, credentialsVersion, activated: true, secondFactor };
  }

  /**
   * Tries the code first as a client that requested one. That attempt does not count against the budget of the mailbox or the attempts of
   * the code, which other clients may have used up. An unknown address and a client without an own attempt run the same statements with a
   * random id.
   */
  private async tryCode(user: Pick<User, 'id'> | null, mailbox: string, code: string, client: ClientContext) {
    const { manager } = this.dataSource;
    const userId = user?.id ?? newId();
    const isOwn = await this.requesters.claim(manager, { kind: OTP_CODE.name, userId, code }, client);
    const own = await this.secrets.tryCode(manager, OTP_CODE, isOwn ? userId : newId(), code, false, 'own');
    if (own !== 'invalid') return own;
    await this.throttle.consumeOfAccount('sign-in-code', mailbox);
    return this.secrets.tryCode(manager, OTP_CODE, userId, code);
  }

  private async sendCode(
    manager: EntityManager,
    user: User,
    { address }: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (!user.activated) return;
    const { length, expirationSeconds: lifetimeSeconds, maxAttempts } = this.config.auth.otp;
    const request = { kind: OTP_CODE.name, userId: user.id, address: address as RequesterAddress, lifetimeSeconds };
    // A client that receives no mail can use the code that another request has mailed.
    await this.requesters.record(manager, request);
    // Limits the mails to one address.
    if (await this.wasJustMailed(manager, user)) return;
    if (!(await this.limiter.tryConsume('mailAddress', `otp ${user.id}`))) return;
    const { secret: code } = await this.secrets.issueCode(manager, {
      purpose: OTP_CODE,
      userId: user.id,
      lifetimeSeconds,
      length,
      attempts: maxAttempts,
      data: { email: user.emailKey },
    });
    await this.requesters.noteCode(manager, OTP_CODE.name, user.id, code);
    const variables = { code, expiresInMinutes: Math.ceil(lifetimeSeconds / 60) };
    await mailAccount(this.mailer, manager, user, { template: 'otp', variables });
  }

  private async wasJustMailed(manager: EntityManager, user: User): Promise<boolean> {
    const values = [user.id, OTP_CODE.name, new Date(this.clock.nowMs() - MAIL_PAUSE_MS)];
    return (await manager.query<unknown[]>(IS_MAILED, values)).length > 0;
  }
}
