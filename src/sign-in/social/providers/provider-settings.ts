import type { ProviderSettings } from '../../../identity/auth/auth-config.types.js';
import { isAllowedEndpoint, type ProviderReach } from './endpoint-rules.js';
import { FACTOR_SETTINGS } from './provider-factors.js';
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
  const place = `AUTH.providers.${provider.name}`;
  const rules = new AddressRules(provider, production);
  const faults = [...ownFaults(provider, place), ...issuerFaults(provider, place, rules)];
  // Addresses are checked last, because they are derived from the other settings.
  return [
    ...clientFaults(provider, place),
    ...faults,
    ...(faults.length === 0 ? addressFaults(provider, place, rules) : []),
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

function clientFaults({ clientId, clientSecret, definition, extra }: ConfiguredProvider, place: string): string[] {
  const faults = clientId === '' ? [`${place}.client_id must be set`] : [];
  if (clientSecret !== '') return faults;
  const { needs = [] } = definition.clientSecret ?? {};
  const missing = needs.filter((key) => extra[key] === undefined);
  if (missing.length === needs.length)
    return [...faults, `${place}.client_secret must be set${needs.length === 0 ? '' : `, or ${needs.join(', ')}`}`];
  return [...faults, ...missing.map((key) => `${place}.${key} must be set where there is no client_secret`)];
}

function ownFaults({ definition, extra }: ConfiguredProvider, place: string): string[] {
  const rows: Readonly<Record<string, ProviderSetting>> = {
    ...SHARED_SETTINGS,
    ...(definition.endpoints === undefined && FACTOR_SETTINGS),
    ...definition.settings,
  };
  const given = Object.entries(extra).flatMap(([key, value]) => {
    const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
    if (row === undefined) return [`${place}.${key} must not be there; known are ${Object.keys(rows).join(', ')}`];
    return isAccepted(row, value) ? [] : [`${place}.${key} must ${row.expects}`];
  });
  const missing = Object.entries(rows).filter(([key, { required }]) => required === true && extra[key] === undefined);
  return [...given, ...missing.map(([key]) => `${place}.${key} must be set`)];
}

/** A check that throws accepts nothing. */
function isAccepted({ accepts }: ProviderSetting, value: unknown): boolean {
  try {
    return accepts(value) === true;
  } catch {
    return false;
  }
}

function issuerFaults({ definition, issuer }: ConfiguredProvider, place: string, rules: AddressRules): string[] {
  if (issuer === undefined) return [];
  if (!rules.allow(issuer)) return [`${place}.issuer must be ${rules.form}`];
  if (typeof definition.endpoints !== 'object') return [];
  return [`${place}.issuer must not be there: the provider is defined by its endpoints`];
}

function addressFaults(provider: ConfiguredProvider, place: string, rules: AddressRules): string[] {
  try {
    const named = namedAddresses(provider);
    const missing = Object.hasOwn(named, 'issuer') && named['issuer'] === undefined;
    if (missing) return [`${place}.issuer must be set`];
    return Object.entries(named).flatMap(([name, address]) =>
      rules.allow(address) ? [] : [`${place} must be defined with ${rules.form} as its ${name}`],
    );
  } catch (error) {
    return [`${place} must have settings that its addresses can be made of (${nameOf(error)})`];
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
  const made = (typeof endpoints === 'function' ? endpoints(settings) : endpoints) as OAuthEndpoints;
  const { authorization, token, profile, details, issuer: named } = made;
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
