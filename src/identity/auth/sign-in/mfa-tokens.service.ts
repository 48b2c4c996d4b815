import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/app-error.js';
import { matchesChallenge } from '../../../kernel/pkce.js';
import { definePurpose, OneTimeSecrets, type SecretGrant } from '../../secrets/one-time-secrets.port.js';
import { amrOf } from '../sessions/factor-classes.public.js';
import type { SignInBinding } from './second-factor.port.js';
import type { ProvenAccount } from './sign-in-method.port.js';

/** A sign-in whose first proof was right. */
interface HalfSignIn {
  readonly provider: string;
  readonly credentialsVersion: number;
  readonly amr: readonly string[];
  /** Digest of the carrier that the sign-in is for. */
  readonly carrier: string | null;
  readonly codeChallenge: string | null;
}

/** The sign-in that waits for a second factor. */
export const MFA_TOKEN = definePurpose<HalfSignIn>('mfa');

const LIFETIME_SECONDS = 300;

/** What whoever brings the token brings besides, to show that the sign-in is theirs. */
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
  ) {}

  /** Issues the token of a sign-in whose first proof was right. */
  async issue(account: ProvenAccount, { carrier, codeChallenge = null }: SignInBinding) {
    const { userId, provider, credentialsVersion } = account;
    const half = { provider, credentialsVersion, amr: amrOf(account), codeChallenge };
    const { secret } = await this.secrets.issueToken(this.dataSource.manager, {
      purpose: MFA_TOKEN,
      userId,
      lifetimeSeconds: LIFETIME_SECONDS,
      data: { ...half, carrier: carrier === undefined ? null : digestOf(carrier) },
      // Another tab may be asked for it, too.
      replace: false,
    });
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
    const { data } = grant;
    const isForCarrier = data.carrier === (carrier === undefined ? null : digestOf(carrier));
    const isOfPage =
      data.codeChallenge === null
        ? codeVerifier === undefined
        : codeVerifier !== undefined && matchesChallenge(codeVerifier, data.codeChallenge);
    if (!isForCarrier || !isOfPage) throw new AppError('mfa_token_invalid');
    return grant;
  }

  /** Uses the token up, by one statement. @throws AppError `mfa_token_invalid` if somebody was faster. */
  async consume(token: string): Promise<void> {
    const grant = await this.secrets.consumeToken(this.dataSource.manager, MFA_TOKEN, token);
    if (typeof grant === 'string') throw new AppError('mfa_token_invalid');
  }
}

function digestOf(carrier: string): string {
  return createHash('sha256').update(carrier).digest('base64url');
}
