import { type JWTPayload, jwtVerify } from 'jose';
import { AppError } from '../../../kernel/errors/app-error.js';
import { CLAIM_LENGTH, textOf } from '../providers/provider-profile.js';
import { providerFailed } from '../providers/provider-failure.js';
import type { DiscoveredProvider, OidcSettings } from './oidc-discovery.js';

export interface IdTokenClaims extends JWTPayload {
  readonly iss: string;
  readonly sub: string;
}

export interface IdTokenExpectation {
  readonly settings: OidcSettings;
  readonly provider: DiscoveredProvider;
  readonly nonce: string;
  readonly now: Date;
}

/** @internal */
const MAX_LENGTH = 32_768;
/** Tolerated difference to the provider's clock. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** The token was issued for the code that was just exchanged. Some providers backdate it a little. @internal */
const MAX_AGE_SECONDS = 900;
/** 31 days. A longer lifetime is considered a mistake of the provider. @internal */
const MAX_LIFETIME_SECONDS = 2_678_400;

/**
 * Checks an ID token (OpenID Connect Core §3.1.3.7): signature by a key of the provider, algorithm, issuer, audience, authorized party,
 * age, expiry and nonce.
 *
 * @throws AppError `provider_failed`, or `provider_unavailable` if the keys cannot be fetched.
 */
export async function checkIdToken(token: unknown, expected: IdTokenExpectation): Promise<IdTokenClaims> {
  if (typeof token !== 'string' || token.length > MAX_LENGTH) throw providerFailed('ID token: missing');
  const claims = await verified(token, expected);
  const { settings, provider, nonce } = expected;
  const issuer = settings.tokenIssuer(provider.metadata.issuer, claims);
  if (issuer === null || claims.iss !== issuer) throw providerFailed('ID token: wrong issuer');
  if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims['azp'] === undefined) {
    throw providerFailed('ID token: several audiences and no authorized party');
  }
  if (claims['azp'] !== undefined && claims['azp'] !== settings.clientId) {
    throw providerFailed('ID token: wrong authorized party');
  }
  if (nonce === '' || claims['nonce'] !== nonce) throw providerFailed('ID token: wrong nonce');
  const sub = textOf(claims.sub, CLAIM_LENGTH.subject);
  if (sub === null) throw providerFailed('ID token: no valid subject');
  return { ...claims, iss: issuer, sub };
}

async function verified(token: string, { settings, provider, now }: IdTokenExpectation): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, provider.keys, {
      algorithms: [...provider.metadata.algorithms],
      audience: settings.clientId,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
    });
    if ((payload.exp ?? 0) > now.getTime() / 1_000 + MAX_LIFETIME_SECONDS)
      throw providerFailed('ID token: lifetime is too long');
    return payload;
  } catch (error) {
    throw error instanceof AppError ? error : providerFailed('ID token: not valid', error);
  }
}
