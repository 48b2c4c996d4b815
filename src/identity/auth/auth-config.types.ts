/** How a new local account becomes active. */
export type ActivationMethod = 'auto' | 'manual' | 'email';

/** How a user proves an address: by a link, or by a typed code. */
export type VerificationMethod = 'link' | 'otp';

/** Lists are lower-case; domains are ASCII. */
export interface RegistrationPolicySettings {
  readonly allowedEmailDomains: readonly string[];
  readonly blockedEmailDomains: readonly string[];
  readonly reservedUsernames: readonly string[];
  readonly normalizeEmail: boolean;
}

/** A federated provider as configured under `AUTH.providers.{name}`. */
export interface ProviderSettings {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Issuer identifier for discovery (OpenID Connect Discovery 1.0); unset for presets with a known issuer. */
  readonly issuer: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** Provider-specific settings for a preset (`tenant`, `team_id`, `key_id`, `private_key`, …). */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Other modules add settings by declaration merging. */
export interface LocalSettings {
  readonly activationMethod: ActivationMethod;
}

/** Configuration of `/api/auth`. Sign-in methods add settings by declaration merging. Durations are in seconds. */
export interface AuthConfig {
  readonly refreshTokenEnabled: boolean;
  readonly refreshTokenLifetimeSeconds: number;
  readonly accessTokenLifetimeSeconds: number;
  readonly tokenAlgorithm: 'HS256' | 'EdDSA';
  /** Days for which a browser skips the second factor after it was proven there; 0: never. */
  readonly rememberDays: number;
  /** Seconds after its creation during which recovery can revoke a second factor without another proof. */
  readonly recoveryWindowSeconds: number;
  /** Seconds that recovery waits before it revokes older second factors; 0: no wait. */
  readonly recoveryDelaySeconds: number;
  readonly localLoginDisabled: boolean;
  /** Path of a GeoIP database; null if there is none. */
  readonly geoIpFile: string | null;
  readonly local: LocalSettings;
}

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly auth: AuthConfig;
  }
}
