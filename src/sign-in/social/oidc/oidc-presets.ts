import { isUuid } from '../../../kernel/random.js';
import type { ProviderReach } from '../providers/endpoint-rules.js';

type Claims = Readonly<Record<string, unknown>>;

/** Rules of a provider, and the issuer that holds unless another is configured. */
export interface OidcPreset extends OidcRules {
  readonly issuer?: (extra: Claims) => string;
}

const ignoreSlash = (address: string): string => address.replace(/\/+$/, '');

/** What holds for any provider that keeps to OpenID Connect Core. */
export const GENERIC: OidcPreset = {
  scope: 'email profile',
  usesUserinfo: true,
  isSameIssuer: (announced, configured) => ignoreSlash(announced) === ignoreSlash(configured),
  tokenIssuer: (announced) => announced,
  isEmailVerified: (claims) => claims['email_verified'] === true,
};

/** Stands for the tenant where a document is for all of them. */
const TENANT = '{tenantid}';

/**
 * Microsoft announces one issuer for all tenants, and an ID token has that of its own. Its address is whatever a tenant's
 * administrator wrote there: only `xms_edov` (an optional claim) says that the tenant proved the address's domain.
 */
const MICROSOFT: OidcPreset = {
  ...GENERIC,
  issuer: ({ tenant }) => `https://login.microsoftonline.com/${typeof tenant === 'string' ? tenant : 'common'}/v2.0`,
  usesUserinfo: false,
  isSameIssuer: (announced, configured) => {
    const [, base, tenant = ''] = /^(.*)\/([^/]+)\/v2\.0$/.exec(announced) ?? [];
    const [, expectedBase, expectedTenant = ''] = /^(.*)\/([^/]+)\/v2\.0$/.exec(configured) ?? [];
    if (base === undefined || base !== expectedBase) return false;
    return isUuid(expectedTenant) ? tenant === expectedTenant : tenant === TENANT || isUuid(tenant);
  },
  tokenIssuer: (announced, { tid }) => {
    if (!announced.includes(TENANT)) return announced;
    return isUuid(tid) ? announced.replace(TENANT, tid) : null;
  },
  isEmailVerified: ({ xms_edov: proven }) => proven === true || proven === 1 || proven === '1' || proven === 'true',
};

/** Apple sends the address only by form_post, and its truth values as text. */
const APPLE: OidcPreset = {
  ...GENERIC,
  issuer: () => 'https://appleid.apple.com',
  scope: 'name email',
  responseMode: 'form_post',
  usesUserinfo: false,
  isEmailVerified: ({ email_verified: verified }) => verified === true || verified === 'true',
};

const GOOGLE: OidcPreset = { ...GENERIC, issuer: () => 'https://accounts.google.com', usesUserinfo: false };

/** Providers that know their own issuer, by the name under which they are configured. */
export const OIDC_PRESETS: ReadonlyMap<string, OidcPreset> = new Map([
  ['google', GOOGLE],
  ['microsoft', MICROSOFT],
  ['apple', APPLE],
]);

/** What a provider's own answers must look like, where providers differ. */
export interface OidcRules {
  /** Scopes beside `openid`. */
  readonly scope: string;
  /** How the provider answers: in the query unless it says otherwise. */
  readonly responseMode?: 'form_post';
  /** Whether the userinfo endpoint is asked too, where the provider has one. */
  readonly usesUserinfo: boolean;
  /** Whether the issuer that a discovery document announces is the configured one. */
  readonly isSameIssuer: (announced: string, configured: string) => boolean;
  /** The issuer that an ID token must have; null where its claims name none. */
  readonly tokenIssuer: (announced: string, claims: Readonly<Record<string, unknown>>) => string | null;
  /** Whether the claims prove that their address is the person's. */
  readonly isEmailVerified: (claims: Readonly<Record<string, unknown>>) => boolean;
}

/** One configured OpenID Connect provider. */
export interface OidcDefinition extends OidcRules {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The secret for the next request; some providers want it signed anew. */
  readonly clientSecret: () => Promise<string>;
  readonly redirectUri: string;
  /** Bound of one request to the provider. */
  readonly timeoutMs: number;
  /** Which of its addresses the service speaks to. */
  readonly reach: ProviderReach;
}
