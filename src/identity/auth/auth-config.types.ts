/** Ways in which a new local account becomes active (specification, "Account activation"). */
export type ActivationMethod = 'auto' | 'manual' | 'email';

/** Ways in which a person proves an address: by a link, or by a code that is typed (CONTRACT §3). */
export type VerificationMethod = 'link' | 'otp';

/** The registration policy (specification, "Registration policy"). Lists are lower-case; domains are ASCII. */
export interface RegistrationPolicySettings {
  readonly allowedEmailDomains: readonly string[];
  readonly blockedEmailDomains: readonly string[];
  readonly reservedUsernames: readonly string[];
  readonly normalizeEmail: boolean;
}

/** One federated provider as configured under `AUTH.providers.{name}`. */
export interface ProviderSettings {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Issuer identifier for discovery (OpenID Connect Discovery 1.0); unset for presets that know theirs. */
  readonly issuer: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** Provider-specific settings that a preset reads (`tenant`, `team_id`, `key_id`, `private_key`, …). */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Settings by which local accounts are verified. Their owners add theirs by declaration merging. */
export interface LocalSettings {
  readonly activationMethod: ActivationMethod;
}

/** Configuration of `/api/auth`, parsed; the ways to sign in add theirs by declaration merging. Durations are in seconds. */
export interface AuthConfig {
  readonly refreshTokenEnabled: boolean;
  readonly refreshTokenLifetimeSeconds: number;
  readonly accessTokenLifetimeSeconds: number;
  readonly tokenAlgorithm: 'HS256' | 'EdDSA';
  /** Days for which a browser is remembered as one in which the second factor was proven; 0 for not at all. */
  readonly rememberDays: number;
  /** Seconds after its creation during which a second factor can be revoked by recovery without another proof. */
  readonly recoveryWindowSeconds: number;
  /** Seconds that recovery waits before it revokes older second factors; 0 for not at all. */
  readonly recoveryDelaySeconds: number;
  readonly localLoginDisabled: boolean;
  /** A database of network addresses, or null. */
  readonly geoIpFile: string | null;
  readonly local: LocalSettings;
}

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly auth: AuthConfig;
  }
}
