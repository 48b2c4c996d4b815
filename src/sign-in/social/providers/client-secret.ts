import { SignJWT } from 'jose';
import type { ProviderSettings } from '../../../platform/config/config.types.js';
import type { Clock } from '../../../kernel/clock.port.js';
import { readSigningKey } from './provider-settings.js';

const LIFETIME_SECONDS = 300;

/**
 * How the secret for a request is had: as configured, or, where there is a signing key instead, as a short-lived JWT signed
 * by ES256 (Apple, "Creating a client secret").
 */
export function clientSecretOf(settings: ProviderSettings, issuer: string, clock: Clock): () => Promise<string> {
  const { clientId, clientSecret, extra } = settings;
  const key = clientSecret === '' ? readSigningKey(extra['private_key']) : null;
  if (key === null) return () => Promise.resolve(clientSecret);
  return () => {
    const now = Math.floor(clock.nowMs() / 1_000);
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: String(extra['key_id']) })
      .setIssuer(String(extra['team_id']))
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME_SECONDS)
      .sign(key);
  };
}
