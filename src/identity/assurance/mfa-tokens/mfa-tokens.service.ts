import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { isProvenBy } from '../../../kernel/keys/pkce.js';
import {
  definePurpose,
  OneTimeSecrets,
  type SecretGrant,
  type SecretRefusal,
} from '../../secrets/one-time-secrets.port.js';
import { amrOf } from '../../auth/access/assurance.public.js';
import type { SignInBinding } from '../../auth/sign-in/second-factor.port.js';
import type { ProvenAccount } from '../../auth/sign-in/sign-in-method.port.js';

/** A sign-in after its first proof. */
export interface PartialSignIn {
  readonly provider: string;
  readonly credentialsVersion: number;
  readonly amr: readonly string[];
  /** Digest of the carrier of a native-app login; null for none. */
  readonly carrier: string | null;
  readonly codeChallenge: string | null;
}

interface WaitingSignIn extends PartialSignIn {
  readonly expiresAtMs: number;
}

export const MFA_TOKEN = definePurpose<WaitingSignIn>('mfa');
/** A sign-in that waits for a second factor to be added. The token allows only this, and proves no factor. */
export const ENROLMENT_TOKEN = definePurpose<WaitingSignIn>('mfa-enrolment');

const LIFETIME_SECONDS = 300;

export class IssuedMfaToken {
  @ApiProperty() readonly mfa_token: string;
  @ApiProperty({ description: 'Seconds until the token expires.' }) readonly expires_in: number;
}

/** Must match the binding of the sign-in, in addition to the token. */
export interface BindingProof {
  readonly carrier?: string | undefined;
  readonly codeVerifier?: string | undefined;
}

/** Tokens of sign-ins that wait for a second factor: 256 bits, valid for five minutes and one use. */
@Injectable()
export class MfaTokens {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly clock: Clock,
  ) {}

  issue(account: ProvenAccount, binding: SignInBinding, purpose = MFA_TOKEN): Promise<IssuedMfaToken> {
    return this.issueFor(account.userId, partialSignInOf(account, binding), purpose);
  }

  async issueFor(userId: string, data: PartialSignIn, purpose = MFA_TOKEN): Promise<IssuedMfaToken> {
    // Older tokens stay valid, because another tab may wait for a factor too.
    const expiresAtMs = this.clock.nowMs() + LIFETIME_SECONDS * 1_000;
    const waiting = { ...data, expiresAtMs };
    const request = { purpose, userId, lifetimeSeconds: LIFETIME_SECONDS, data: waiting, replace: false };
    const { secret } = await this.secrets.issueToken(this.dataSource.manager, request);
    return { mfa_token: secret, expires_in: LIFETIME_SECONDS };
  }

  /** Does not consume the token. @throws AppError `mfa_token_invalid`, also if the binding does not match. */
  async check(token: string, { carrier, codeVerifier }: BindingProof): Promise<SecretGrant<PartialSignIn>> {
    const grant = await this.find(token);
    const isForCarrier = grant.data.carrier === (carrier === undefined ? null : digestOf(carrier));
    if (!isForCarrier || !isProvenBy(codeVerifier, grant.data.codeChallenge)) throw new AppError('mfa_token_invalid');
    return grant;
  }

  /** Does not consume the token. @throws AppError `mfa_token_invalid`. */
  async find(token: string, purpose = MFA_TOKEN): Promise<SecretGrant<PartialSignIn>> {
    return grantOrThrow(await this.secrets.checkToken(this.dataSource.manager, purpose, token));
  }

  /** @throws AppError `mfa_token_invalid` if another request was faster, or another page started the sign-in. */
  async consumeEnrolment(manager: EntityManager, token: string, codeVerifier?: string): Promise<PartialSignIn> {
    const { data } = grantOrThrow(await this.secrets.consumeToken(manager, ENROLMENT_TOKEN, token));
    if (!isProvenBy(codeVerifier, data.codeChallenge)) throw new AppError('mfa_token_invalid');
    return data;
  }

  /**
   * Consumes the token in one statement, and runs the check. If the check fails, the token is valid again for its remaining time. The
   * sign-in still completes only under the credentials version of its first proof.
   *
   * @throws AppError `mfa_token_invalid` if another request was faster; the errors of the check.
   */
  async spend<Result>(token: string, check: () => Promise<Result>): Promise<Result> {
    const { manager } = this.dataSource;
    const { userId, data } = grantOrThrow(await this.secrets.consumeToken(manager, MFA_TOKEN, token));
    try {
      return await check();
    } catch (error) {
      const lifetimeSeconds = Math.max(0, data.expiresAtMs - this.clock.nowMs()) / 1_000;
      const request = { purpose: MFA_TOKEN, userId, lifetimeSeconds, data, secret: token, replace: false };
      await this.secrets.issueToken(manager, request);
      throw error;
    }
  }
}

function grantOrThrow(grant: SecretGrant<WaitingSignIn> | SecretRefusal): SecretGrant<WaitingSignIn> {
  if (typeof grant === 'string') throw new AppError('mfa_token_invalid');
  return grant;
}

function partialSignInOf(account: ProvenAccount, { carrier, codeChallenge = null }: SignInBinding): PartialSignIn {
  const { provider, credentialsVersion } = account;
  const digest = carrier === undefined ? null : digestOf(carrier);
  return { provider, credentialsVersion, amr: amrOf(account), codeChallenge, carrier: digest };
}

function digestOf(carrier: string): string {
  return createHash('sha256').update(carrier).digest('base64url');
}
