import type { NetworkTrust } from './parsers.js';

/** How a new local account becomes active (specification, "Account activation"). */
export type ActivationMethod = 'auto' | 'manual' | 'email';

/** How a person proves an address: by a link, or by a code that is typed (CONTRACT §3). */
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

/** Everything under `/api/auth`, parsed. Durations are in seconds. */
export interface AuthConfig {
  readonly refreshTokenEnabled: boolean;
  readonly refreshTokenLifetimeSeconds: number;
  readonly accessTokenLifetimeSeconds: number;
  readonly otp: {
    readonly enabled: boolean;
    readonly length: number;
    readonly expirationSeconds: number;
    readonly maxAttempts: number;
  };
  /** Null when no policy is configured: nothing is blocked. */
  readonly registration: RegistrationPolicySettings | null;
  readonly cliLogin: { readonly enabled: boolean; readonly allowedRedirectHosts: readonly string[] };
  readonly localLoginDisabled: boolean;
  /** Addresses (in comparison form) that receive the admin role at their first federated login. */
  readonly adminEmails: readonly string[];
  readonly local: {
    readonly activationMethod: ActivationMethod;
    readonly verificationMethod: VerificationMethod;
    readonly activationUrl: string;
    readonly recoveryUrl: string;
    readonly emailChangeUrl: string;
  };
  /** The enabled social providers, in the order of `enabled_providers`. */
  readonly providers: readonly ProviderSettings[];
}

/** Bounds of content requests that an administrator may change (CONTRACT §7). */
export interface ContentSettings {
  /** Relations in one path of a filter, a sort key or a selection. */
  readonly depth: number;
  /** Relations that one request expands. */
  readonly relationNodes: number;
  /** Conditions of one filter. */
  readonly conditions: number;
  /** Bytes of a filter as it is sent, in UTF-8. */
  readonly filterBytes: number;
  /** Values of one `$in` or `$nin`. */
  readonly inValues: number;
  readonly sortKeys: number;
  /** Records of a page at most. */
  readonly maxPageSize: number;
  /** Records of one expanded to-many relation. */
  readonly children: number;
  /** Records that one nested write touches. */
  readonly nestedRecords: number;
  /** Records of one bulk create, and records that a bulk update or delete may match. */
  readonly bulkRecords: number;
  readonly batchOperations: number;
}

/** The whole configuration: parsed once, checked once, frozen. */
export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Public base address without a trailing slash. */
  readonly appUrl: string;
  readonly appName: string;
  readonly appKey: string;
  readonly dataDir: string;
  /** Undefined: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly mail: {
    readonly url: string | undefined;
    readonly from: { readonly name: string; readonly address: string };
  };
  /** Days for which a dropped column or table is kept aside before it is purged. */
  readonly schemaKeepDroppedDays: number;
  readonly content: ContentSettings;
  readonly rateLimitEnabled: boolean;
  /** Origins whose pages may call the API (Fetch Standard, "CORS protocol"). */
  readonly corsOrigins: readonly string[];
  readonly trustProxy: NetworkTrust;
  readonly logLevel: string;
  readonly auth: AuthConfig;
}
