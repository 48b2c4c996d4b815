import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { ProviderSettings } from '../../../identity/auth/auth-config.types.js';
import { isAllowedEndpoint, type ProviderReach } from './endpoint-rules.js';

/** What may stand under `AUTH.providers.{name}` beside what every provider has, and what is expected of it. */
const EXTRA: Readonly<Record<string, { readonly expects: string; readonly accepts: (value: unknown) => boolean }>> = {
  response_mode: { expects: 'be query or form_post', accepts: (value) => value === 'query' || value === 'form_post' },
  timeout_seconds: {
    expects: 'be a number from 0.1 to 30',
    accepts: (value) => typeof value === 'number' && value >= 0.1 && value <= 30,
  },
  private_network: { expects: 'be true or false', accepts: (value) => typeof value === 'boolean' },
  tenant: { expects: 'be a tenant of Microsoft: its id, its domain, or common', accepts: matches(/^[\w.-]{1,100}$/) },
  team_id: { expects: 'be the ten characters of an Apple team', accepts: matches(/^[A-Z0-9]{10}$/) },
  key_id: { expects: 'be the ten characters of an Apple key', accepts: matches(/^[A-Z0-9]{10}$/) },
  private_key: { expects: 'be a P-256 key in PKCS #8 PEM', accepts: (value) => readSigningKey(value) !== null },
};

const DEFAULT_TIMEOUT_SECONDS = 8;
const MAX_ISSUER_LENGTH = 500;

/** Everything that is wrong with the settings of a provider, each with its place. */
export function providerFaults({ name, issuer, extra, clientSecret }: ProviderSettings, production: boolean): string[] {
  const place = `AUTH.providers.${name}`;
  const faults = Object.entries(extra).flatMap(([key, value]) => {
    const row = Object.hasOwn(EXTRA, key) ? EXTRA[key] : undefined;
    if (row === undefined) return [`${place}.${key} must not be there; known are ${Object.keys(EXTRA).join(', ')}`];
    return row.accepts(value) ? [] : [`${place}.${key} must ${row.expects}`];
  });
  const reachable =
    issuer === undefined ||
    (isAllowedEndpoint(issuer, reachOf(extra, production)) && issuer.length <= MAX_ISSUER_LENGTH);
  if (!reachable)
    faults.push(
      `${place}.issuer must be an address of the form https://…${
        production ? ', of no private network unless private_network is true' : ''
      }`,
    );
  if (clientSecret === '') {
    const missing = ['team_id', 'key_id', 'private_key'].filter((key) => extra[key] === undefined);
    faults.push(...missing.map((key) => `${place}.${key} must be set where there is no client_secret`));
  }
  return faults;
}

/** Which addresses of the provider the service speaks to. */
export function reachOf(extra: ProviderSettings['extra'], production: boolean): ProviderReach {
  if (!production) return 'any';
  return extra['private_network'] === true ? 'private' : 'public';
}

/** Bound of one request to the provider, in milliseconds. */
export function timeoutOf({ extra }: ProviderSettings): number {
  const { timeout_seconds: seconds } = extra;
  return (typeof seconds === 'number' ? seconds : DEFAULT_TIMEOUT_SECONDS) * 1_000;
}

/** A private key for ES256; null where the text is none. */
export function readSigningKey(pem: unknown): KeyObject | null {
  if (typeof pem !== 'string') return null;
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

function matches(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value);
}
