import type { ProviderSettings } from '../../../identity/auth/auth-config.types.js';
import { isAllowedEndpoint, type ProviderReach } from './endpoint-rules.js';
import type { OAuthEndpoints, ProviderDefinition, ProviderSetting } from './provider-definition.types.js';

export interface ConfiguredProvider extends ProviderSettings {
  readonly definition: ProviderDefinition;
}

/** Settings that every provider accepts, besides its client, issuer and scopes. */
export const SHARED_SETTINGS: Readonly<Record<string, ProviderSetting>> = {
  response_mode: { expects: 'be query or form_post', accepts: (value) => value === 'query' || value === 'form_post' },
  timeout_seconds: {
    expects: 'be a number from 0.1 to 30',
    accepts: (value) => typeof value === 'number' && value >= 0.1 && value <= 30,
  },
  private_network: { expects: 'be true or false', accepts: (value) => typeof value === 'boolean' },
};

const DEFAULT_TIMEOUT_SECONDS = 8;
/** @internal */
const MAX_ISSUER_LENGTH = 500;

/** Returns all errors in the settings of a provider. Each names the setting, but not its value. */
export function providerFaults(provider: ConfiguredProvider, production: boolean): string[] {
  const path = `AUTH.providers.${provider.name}`;
  const rules = new AddressRules(provider, production);
  const faults = [...ownFaults(provider, path), ...issuerFaults(provider, path, rules)];
  // Addresses are checked last, because they are derived from the other settings.
  return [
    ...clientFaults(provider, path),
    ...faults,
    ...(faults.length === 0 ? addressFaults(provider, path, rules) : []),
  ];
}

class AddressRules {
  /** Description of a valid address, for messages. */
  readonly form: string;
  private readonly reach: ProviderReach;

  constructor({ extra }: ConfiguredProvider, production: boolean) {
    this.reach = reachOf(extra, production);
    this.form = `an address of the form https://…${production ? ', of no private network unless private_network is true' : ''}`;
  }

  allow(address: unknown): boolean {
    return isAllowedEndpoint(address, this.reach) && address.length <= MAX_ISSUER_LENGTH;
  }
}

function clientFaults({ clientId, clientSecret, definition, extra }: ConfiguredProvider, path: string): string[] {
  const faults = clientId === '' ? [`${path}.client_id must be set`] : [];
  if (clientSecret !== '') return faults;
  const { needs = [] } = definition.clientSecret ?? {};
  const missing = needs.filter((key) => extra[key] === undefined);
  if (missing.length === needs.length)
    return [...faults, `${path}.client_secret must be set${needs.length === 0 ? '' : `, or ${needs.join(', ')}`}`];
  return [...faults, ...missing.map((key) => `${path}.${key} must be set without client_secret`)];
}

function ownFaults({ definition, extra }: ConfiguredProvider, path: string): string[] {
  const rows: Readonly<Record<string, ProviderSetting>> = {
    ...SHARED_SETTINGS,
    ...(definition.endpoints === undefined && FACTOR_SETTINGS),
    ...definition.settings,
  };
  const settings = Object.entries(extra).flatMap(([key, value]) => {
    const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
    if (row === undefined)
      return [`${path}.${key} must not be set; known settings are ${Object.keys(rows).join(', ')}`];
    return isAccepted(row, value) ? [] : [`${path}.${key} must ${row.expects}`];
  });
  const missing = Object.entries(rows).filter(([key, { required }]) => required === true && extra[key] === undefined);
  return [...settings, ...missing.map(([key]) => `${path}.${key} must be set`)];
}

/** A check that throws accepts nothing. */
function isAccepted({ accepts }: ProviderSetting, value: unknown): boolean {
  try {
    return accepts(value) === true;
  } catch {
    return false;
  }
}

function issuerFaults({ definition, issuer }: ConfiguredProvider, path: string, rules: AddressRules): string[] {
  if (issuer === undefined) return [];
  if (!rules.allow(issuer)) return [`${path}.issuer must be ${rules.form}`];
  if (typeof definition.endpoints !== 'object') return [];
  return [`${path}.issuer must not be set, because the provider is defined by its endpoints`];
}

function addressFaults(provider: ConfiguredProvider, path: string, rules: AddressRules): string[] {
  try {
    const named = namedAddresses(provider);
    const missing = Object.hasOwn(named, 'issuer') && named['issuer'] === undefined;
    if (missing) return [`${path}.issuer must be set`];
    return Object.entries(named).flatMap(([name, address]) =>
      rules.allow(address) ? [] : [`${path} must be defined with ${rules.form} as its ${name}`],
    );
  } catch (error) {
    return [`${path} must have settings from which its addresses can be built (${nameOf(error)})`];
  }
}

function namedAddresses(provider: ConfiguredProvider): Readonly<Record<string, unknown>> {
  if (provider.definition.endpoints === undefined) return { issuer: issuerOf(provider) };
  const { authorization, token, profile, details } = endpointsOf(provider);
  return { authorization, token, profile, ...details };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : 'no error';
}

/** Undefined if neither the settings nor the definition contain an issuer. */
export function issuerOf({ definition, issuer, extra }: ConfiguredProvider): string | undefined {
  return issuer ?? (typeof definition.issuer === 'function' ? definition.issuer(extra) : definition.issuer);
}

export function endpointsOf({ definition, issuer, extra }: ConfiguredProvider): OAuthEndpoints & { issuer: string } {
  const { endpoints } = definition;
  const settings = issuer === undefined ? extra : { ...extra, issuer };
  const endpointsOf = (typeof endpoints === 'function' ? endpoints(settings) : endpoints) as OAuthEndpoints;
  const { authorization, token, profile, details, issuer: named } = endpointsOf;
  return { authorization, token, profile, details, issuer: named ?? String(authorization).replace(/\?.*$/s, '') };
}

export function reachOf(extra: ProviderSettings['extra'], production: boolean): ProviderReach {
  if (!production) return 'any';
  return extra['private_network'] === true ? 'private' : 'public';
}

/** Returns the time limit of one request to the provider, in milliseconds. */
export function timeoutOf({ extra }: ProviderSettings): number {
  const { timeout_seconds: seconds } = extra;
  return (typeof seconds === 'number' ? seconds : DEFAULT_TIMEOUT_SECONDS) * 1_000;
}

/** @internal */
const MAX_VALUES = 20;
/** @internal */
const MAX_VALUE_LENGTH = 200;

const VALUE_LIST: ProviderSetting = {
  expects: `be a list of 1 to ${MAX_VALUES} texts`,
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= MAX_VALUES && value.every((word) => isWord(word)),
};

/** Settings that make a claim of the provider count as a second factor. Without them no claim does. */
const FACTOR_SETTINGS: Readonly<Record<string, ProviderSetting>> = { mfa_amr: VALUE_LIST, mfa_acr: VALUE_LIST };

/** Claims of an ID token, without those of userinfo: only these are signed. */
type SignedClaims = Readonly<Record<string, unknown>>;

/**
 * Returns whether an ID token confirms two factors (OpenID Connect Core §2: `amr`, `acr`).
 *
 * @param settings of the provider. A value of `mfa_amr` in `amr`, or an `acr` listed in `mfa_acr`, confirms them.
 */
export function reportsTwoFactors({ amr, acr }: SignedClaims, settings: Readonly<Record<string, unknown>>): boolean {
  const { mfa_amr: methods, mfa_acr: contexts } = settings;
  const isMethod = Array.isArray(amr) && Array.isArray(methods) && amr.some((method) => methods.includes(method));
  return isMethod || (isWord(acr) && Array.isArray(contexts) && contexts.includes(acr));
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_LENGTH;
}
