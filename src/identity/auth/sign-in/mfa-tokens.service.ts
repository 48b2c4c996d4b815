import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { matchesChallenge } from '../../../kernel/keys/pkce.js';
import {
  definePurpose,
  OneTimeSecrets,
  type SecretGrant,
  type SecretPurpose,
} from '../../secrets/one-time-secrets.port.js';
import { amrOf } from '../sessions/factor-classes.public.js';
import type { SignInBinding } from './second-factor.port.js';
import type { ProvenAccount } from './sign-in-method.port.js';

/** A sign-in whose first proof was right. */
export interface HalfSignIn {
  readonly provider: string;
  readonly credentialsVersion: number;
  readonly amr: readonly string[];
  /** Digest of the carrier that the sign-in is for. */
  readonly carrier: string | null;
  readonly codeChallenge: string | null;
}

/** The same, until when its token is good. */
interface WaitingSignIn extends HalfSignIn {
  readonly expiresAtMs: number;
}

/** The sign-in that waits for a second factor. */
export const MFA_TOKEN = definePurpose<WaitingSignIn>('mfa');
/** The sign-in that waits for a second factor to be added: it opens that, and is no proof of one. */
export const ENROLMENT_TOKEN = definePurpose<WaitingSignIn>('mfa-enrolment');

const LIFETIME_SECONDS = 300;

/** A token as it is told to who goes on by it. */
export class IssuedMfaToken {
  @ApiProperty() readonly mfa_token: string;
  @ApiProperty({ description: 'Seconds for which it is good.' }) readonly expires_in: number;
}

/** Proof beside the token that the sign-in is that of its bearer. */
export interface BindingProof {
  readonly carrier?: string | undefined;
  readonly codeVerifier?: string | undefined;
}

/** Tokens of sign-ins that wait for a second factor: 256 bits, five minutes, good once. */
@Injectable()
export class MfaTokens {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly clock: Clock,
  ) {}

  /** Issues the token of a sign-in whose first proof was right. */
  issue(account: ProvenAccount, binding: SignInBinding): Promise<IssuedMfaToken> {
    return this.issueFor(account.userId, halfOf(account, binding), MFA_TOKEN);
  }

  /** Issues the token of a sign-in whose first proof was right, and that needs a factor which the account has not. */
  issueEnrolment(account: ProvenAccount, binding: SignInBinding): Promise<IssuedMfaToken> {
    return this.issueFor(account.userId, halfOf(account, binding), ENROLMENT_TOKEN);
  }

  /** Issues the token of a sign-in that goes on with what was proven so far. */
  async issueFor(
    userId: string,
    data: HalfSignIn,
    purpose: SecretPurpose<WaitingSignIn> = MFA_TOKEN,
  ): Promise<IssuedMfaToken> {
    // Another tab may be asked for it, too.
    const expiresAtMs = this.clock.nowMs() + LIFETIME_SECONDS * 1_000;
    const waiting = { ...data, expiresAtMs };
    const request = { purpose, userId, lifetimeSeconds: LIFETIME_SECONDS, data: waiting, replace: false };
    const { secret } = await this.secrets.issueToken(this.dataSource.manager, request);
    return { mfa_token: secret, expires_in: LIFETIME_SECONDS };
  }

  /**
   * Returns the sign-in of a token, and leaves the token.
   *
   * @throws AppError `mfa_token_invalid`, also if it is bound to what was not brought.
   */
  async check(token: string, { carrier, codeVerifier }: BindingProof): Promise<SecretGrant<HalfSignIn>> {
    const grant = await this.secrets.checkToken(this.dataSource.manager, MFA_TOKEN, token);
    if (typeof grant === 'string') throw new AppError('mfa_token_invalid');
    const isForCarrier = grant.data.carrier === (carrier === undefined ? null : digestOf(carrier));
    if (!isForCarrier || !isOfPage(grant.data, codeVerifier)) throw new AppError('mfa_token_invalid');
    return grant;
  }

  /** Returns whose sign-in waits by a token, and leaves the token. @throws AppError `mfa_token_invalid`. */
  async accountOf(token: string): Promise<string> {
    const grant = await this.secrets.checkToken(this.dataSource.manager, MFA_TOKEN, token);
    if (typeof grant === 'string') throw new AppError('mfa_token_invalid');
    return grant.userId;
  }

  /** Returns the sign-in of a token that opens enrolment, and leaves the token. @throws AppError `mfa_token_invalid`. */
  async checkEnrolment(token: string): Promise<SecretGrant<HalfSignIn>> {
    const grant = await this.secrets.checkToken(this.dataSource.manager, ENROLMENT_TOKEN, token);
    if (typeof grant === 'string') throw new AppError('mfa_token_invalid');
    return grant;
  }

  /**
   * Uses up a token that opens enrolment, in the caller's transaction.
   *
   * @throws AppError `mfa_token_invalid` if somebody was faster, or another page began.
   */
  async consumeEnrolment(manager: EntityManager, token: string, codeVerifier?: string): Promise<HalfSignIn> {
    const grant = await this.secrets.consumeToken(manager, ENROLMENT_TOKEN, token);
    if (typeof grant === 'string' || !isOfPage(grant.data, codeVerifier)) throw new AppError('mfa_token_invalid');
    return grant.data;
  }

  /**
   * Uses the token up by one statement, runs the check, and gives the token back for the rest of its time if the check fails. The
   * sign-in still ends only under the credentials of its first proof.
   *
   * @throws AppError `mfa_token_invalid` if another request was faster, and what the check throws.
   */
  async spend<Result>(token: string, check: () => Promise<Result>): Promise<Result> {
    const { manager } = this.dataSource;
    const grant = await this.secrets.consumeToken(manager, MFA_TOKEN, token);
    if (typeof grant === 'string') throw new AppError('mfa_token_invalid');
    try {
      return await check();
    } catch (error) {
      const { userId, data } = grant;
      const lifetimeSeconds = Math.max(0, data.expiresAtMs - this.clock.nowMs()) / 1_000;
      const request = { purpose: MFA_TOKEN, userId, lifetimeSeconds, data, secret: token, replace: false };
      await this.secrets.issueToken(manager, request);
      throw error;
    }
  }
}

function halfOf(account: ProvenAccount, { carrier, codeChallenge = null }: SignInBinding): HalfSignIn {
  const { provider, credentialsVersion } = account;
  const digest = carrier === undefined ? null : digestOf(carrier);
  return { provider, credentialsVersion, amr: amrOf(account), codeChallenge, carrier: digest };
}

function isOfPage({ codeChallenge }: HalfSignIn, codeVerifier: string | undefined): boolean {
  if (codeChallenge === null) return codeVerifier === undefined;
  return codeVerifier !== undefined && matchesChallenge(codeVerifier, codeChallenge);
}

function digestOf(carrier: string): string {
  return createHash('sha256').update(carrier).digest('base64url');
}
