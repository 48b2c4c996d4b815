import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { isUuid } from '../../../kernel/keys/random.js';
import { defineProvider } from './define-provider.js';
import type { ProviderClaims, ProviderIdentity, ProviderSetting, SecretContext } from './provider-definition.types.js';
import { openIdIdentity } from './provider-profile.js';

const SECRET_LIFETIME_SECONDS = 300;
/** Placeholder for the tenant in Microsoft's common documents. */
const TENANT = '{tenantid}';

const GOOGLE = defineProvider({
  name: 'google',
  issuer: 'https://accounts.google.com',
  scopes: ['email', 'profile'],
  userinfo: false,
});

/**
 * Microsoft announces one issuer for all tenants, but an ID token names the issuer of its tenant. A tenant's administrator can set any
 * address. Only the optional claim `xms_edov` confirms that the tenant owns the domain of the address.
 */
const MICROSOFT = defineProvider({
  name: 'microsoft',
  issuer: ({ tenant }) => `https://login.microsoftonline.com/${typeof tenant === 'string' ? tenant : 'common'}/v2.0`,
  scopes: ['email', 'profile'],
  settings: { tenant: text('be a tenant of Microsoft: its id, its domain, or common', /^[\w.-]{1,100}$/) },
  userinfo: false,
  acceptsIssuer: (announced, configured) => {
    const [, base, tenant = ''] = /^(.*)\/([^/]+)\/v2\.0$/.exec(announced) ?? [];
    const [, expectedBase, expectedTenant = ''] = /^(.*)\/([^/]+)\/v2\.0$/.exec(configured) ?? [];
    if (base === undefined || base !== expectedBase) return false;
    return isUuid(expectedTenant) ? tenant === expectedTenant : tenant === TENANT || isUuid(tenant);
  },
  tokenIssuer: (announced, { tid }) => {
    if (!announced.includes(TENANT)) return announced;
    return isUuid(tid) ? announced.replace(TENANT, tid) : null;
  },
  identity: (claims) => {
    const { xms_edov: proven } = claims;
    const emailVerified = proven === true || proven === 1 || proven === '1' || proven === 'true';
    return { ...openIdIdentity(claims), emailVerified };
  },
});

/** Apple returns the address only by form_post and sends booleans as strings. It requires a newly signed secret for each request. */
const APPLE = defineProvider({
  name: 'apple',
  issuer: 'https://appleid.apple.com',
  scopes: ['name', 'email'],
  settings: {
    team_id: text('be the ten characters of an Apple team ID', /^[A-Z0-9]{10}$/),
    key_id: text('be the ten characters of an Apple key ID', /^[A-Z0-9]{10}$/),
    private_key: { expects: 'be a P-256 key in PKCS #8 PEM', accepts: (value) => readSigningKey(value) !== null },
  },
  clientSecret: { needs: ['team_id', 'key_id', 'private_key'], sign: signForApple },
  responseMode: 'form_post',
  userinfo: false,
  identity: (claims) => {
    const { email_verified: verified } = claims;
    return { ...openIdIdentity(claims), emailVerified: verified === true || verified === 'true' };
  },
});

/** GitHub, or a GitHub Enterprise Server by its URL. The API of the latter is below that URL. */
const GITHUB = defineProvider({
  name: 'github',
  endpoints: ({ issuer = 'https://github.com' }) => {
    const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;
    return {
      issuer,
      authorization: `${issuer}/login/oauth/authorize`,
      token: `${issuer}/login/oauth/access_token`,
      profile: `${api}/user`,
      details: { emails: `${api}/user/emails` },
    };
  },
  authentication: 'client_secret_post',
  scopes: ['read:user', 'user:email'],
  identity: githubIdentity,
});

export const PRESETS = [GOOGLE, MICROSOFT, APPLE, GITHUB] as const;

/** Returns the identity at GitHub. Only the primary, verified address counts. The address of the public profile proves nothing. */
function githubIdentity({ id, emails }: ProviderClaims): ProviderIdentity & { subject: unknown } {
  if (!Array.isArray(emails)) throw new TypeError('no list of addresses');
  const primary = emails.find(isPrimaryAndVerified);
  return { subject: typeof id === 'number' ? id : null, email: primary?.email, emailVerified: primary !== undefined };
}

function isPrimaryAndVerified(entry: unknown): entry is { readonly email: unknown } {
  if (typeof entry !== 'object' || entry === null) return false;
  const { primary, verified } = entry as Record<string, unknown>;
  return primary === true && verified === true;
}

/** Returns a short-lived JWT with ES256 (Apple, "Creating a client secret"). */
async function signForApple({ clientId, issuer, settings, now }: SecretContext): Promise<string> {
  const key = readSigningKey(settings['private_key']);
  if (key === null) throw new TypeError('no key');
  const issuedAt = Math.floor(now.getTime() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: String(settings['key_id']) })
    .setIssuer(String(settings['team_id']))
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SECRET_LIFETIME_SECONDS)
    .sign(key);
}

function readSigningKey(pem: unknown): KeyObject | null {
  if (typeof pem !== 'string') return null;
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

function text(expects: string, pattern: RegExp): ProviderSetting {
  return { expects, accepts: (value) => typeof value === 'string' && pattern.test(value) };
}
