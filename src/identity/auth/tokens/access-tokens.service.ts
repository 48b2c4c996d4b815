import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { errors, jwtVerify, SignJWT } from 'jose';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import {
  type AccessTokenClaims,
  type AccessTokenHeader,
  deriveTokenKeyPair,
  hasAccessTokenHeader,
  type PublicTokenKey,
  readClaims,
  type TokenKeyPair,
} from './access-token.format.js';

/** Earlier than every expiry. The expiry is checked separately by our clock, with its own error. */
const BEFORE_EXPIRY = new Date(0);

/** Signs and verifies access tokens with the configured algorithm only. */
@Injectable()
export class AccessTokens {
  readonly header: AccessTokenHeader;
  private readonly keyPair: TokenKeyPair | null;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly jwt: JwtService,
  ) {
    const { tokenAlgorithm: alg } = config.auth;
    this.keyPair = alg === 'EdDSA' ? deriveTokenKeyPair(config.appKey) : null;
    const typ = 'at+jwt';
    this.header = this.keyPair === null ? { alg, typ } : { alg, typ, kid: this.keyPair.published.kid };
  }

  /** Keys by which other services verify tokens; none for HS256. */
  get publicKeys(): readonly PublicTokenKey[] {
    return this.keyPair === null ? [] : [this.keyPair.published];
  }

  /** Issuer and audience are this service. */
  async sign(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const { appUrl } = this.config;
    const payload = { ...claims, iss: appUrl, aud: appUrl };
    if (this.keyPair === null) return this.jwt.sign(payload, { header: { ...this.header } });
    return new SignJWT(payload).setProtectedHeader({ ...this.header }).sign(this.keyPair.privateKey);
  }

  /** Ignores the expiry. Returns null for a token that we did not sign. */
  async verify(token: string): Promise<AccessTokenClaims | null> {
    if (!hasAccessTokenHeader(token, this.header)) return null;
    return readClaims(this.keyPair === null ? this.openOwn(token) : await this.openPublic(token, this.keyPair));
  }

  private openOwn(token: string): unknown {
    const { appUrl } = this.config;
    const checks = { algorithms: ['HS256' as const], issuer: appUrl, audience: appUrl, ignoreExpiration: true };
    try {
      return this.jwt.verify<object>(token, checks);
    } catch {
      return null;
    }
  }

  private async openPublic(token: string, { publicKey }: TokenKeyPair): Promise<unknown> {
    const { appUrl: issuer } = this.config;
    const checks = { algorithms: ['EdDSA'], typ: 'at+jwt', issuer, audience: issuer, currentDate: BEFORE_EXPIRY };
    try {
      return (await jwtVerify(token, publicKey, checks)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}
