import type { ProviderSettings } from '../../../identity/auth/auth-config.types.js';
import { isAllowedEndpoint, type ProviderReach } from './endpoint-rules.js';
import type { OAuthEndpoints, ProviderDefinition, ProviderSetting } from './provider-definition.types.js';

/** A provider that is offered: what it is, and how it was set up. */
export interface ConfiguredProvider extends ProviderSettings {
  readonly definition: ProviderDefinition;
}

/** What may stand under `AUTH.providers.{name}` of every provider, beside its client, issuer and scopes. */
export const SHARED_SETTINGS: Readonly<Record<string, ProviderSetting>> = {
  response_mode: { expects: 'be query or form_post', accepts: (value) => value === 'query' || value === 'form_post' },
  timeout_seconds: {
    expects: 'be a number from 0.1 to 30',
    accepts: (value) => typeof value === 'number' && value >= 0.1 && value <= 30,
  },
  private_network: { expects: 'be true or false', accepts: (value) => typeof value === 'boolean' },
};

const DEFAULT_TIMEOUT_SECONDS = 8;
const MAX_ISSUER_LENGTH = 500;

/** Returns everything that is wrong with the settings of a provider, each with its place and without its value. */
export function providerFaults(provider: ConfiguredProvider, production: boolean): string[] {
  const place = `AUTH.providers.${provider.name}`;
  const ofClient = clientFaults(provider, place);
  const ofOwn = ownFaults(provider, place);
  // Addresses are made of settings that are good.
  const ofAddresses = ofOwn.length === 0 ? addressFaults(provider, place, production) : [];
  return [...ofClient, ...ofOwn, ...ofAddresses];
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
  const rows: Readonly<Record<string, ProviderSetting>> = { ...SHARED_SETTINGS, ...definition.settings };
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

function addressFaults(provider: ConfiguredProvider, place: string, production: boolean): string[] {
  const { definition, issuer, extra } = provider;
  const reach = reachOf(extra, production);
  const form = `an address of the form https://…${production ? ', of no private network unless private_network is true' : ''}`;
  const isGood = (address: unknown): boolean =>
    isAllowedEndpoint(address, reach) && address.length <= MAX_ISSUER_LENGTH;
  if (issuer !== undefined && !isGood(issuer)) return [`${place}.issuer must be ${form}`];
  if (issuer !== undefined && typeof definition.endpoints === 'object')
    return [`${place}.issuer must not be there: the provider is defined by its endpoints`];
  try {
    const named = namedAddresses(provider);
    const missing = Object.hasOwn(named, 'issuer') && named['issuer'] === undefined;
    if (missing) return [`${place}.issuer must be set`];
    return Object.entries(named).flatMap(([name, address]) =>
      isGood(address) ? [] : [`${place} must be defined with ${form} as its ${name}`],
    );
  } catch (error) {
    return [`${place} must have settings that its addresses can be made of (${nameOf(error)})`];
  }
}

/** Every address that a provider's definition and settings come to, by its name. */
function namedAddresses(provider: ConfiguredProvider): Readonly<Record<string, unknown>> {
  if (provider.definition.endpoints === undefined) return { issuer: issuerOf(provider) };
  const { authorization, token, profile, details } = endpointsOf(provider);
  return { authorization, token, profile, ...details };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : 'no error';
}

/** Returns the issuer of a provider that speaks OpenID Connect; undefined where nothing says it. */
export function issuerOf({ definition, issuer, extra }: ConfiguredProvider): string | undefined {
  return issuer ?? (typeof definition.issuer === 'function' ? definition.issuer(extra) : definition.issuer);
}

/** Returns the addresses of a provider that speaks OAuth 2 alone. */
export function endpointsOf({ definition, issuer, extra }: ConfiguredProvider): OAuthEndpoints & { issuer: string } {
  const { endpoints } = definition;
  const settings = issuer === undefined ? extra : { ...extra, issuer };
  const made = (typeof endpoints === 'function' ? endpoints(settings) : endpoints) as OAuthEndpoints;
  const { authorization, token, profile, details, issuer: named } = made;
  return { authorization, token, profile, details, issuer: named ?? String(authorization).replace(/\?.*$/s, '') };
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
