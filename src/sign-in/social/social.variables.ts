import { AUTH_VARIABLES } from '../../identity/auth/auth.variables.js';
import type { ProviderSettings } from '../../identity/auth/auth-config.types.js';
import { defineVariables, parseEmailKey, parseList } from '../../platform/config/config.public.js';
import { providerFaults } from './providers/provider-settings.js';

/** Providers that know their own issuer or endpoints. */
const PROVIDER_PRESETS: readonly string[] = ['google', 'microsoft', 'apple', 'github'];

/** Signing in by providers. These are set by `AUTH.enabled_providers` and `AUTH.providers`. */
export const SOCIAL_VARIABLES = defineVariables(
  'Federated-only mode',
  {
    AUTH_ADMIN_EMAILS: {
      default: [],
      parse: parseList(parseEmailKey),
      meaning: 'comma-separated e-mails granted admin on first federated login',
    },
  },
  {
    settings: (values, { of }) => {
      const { enabledProviders, providers } = of(AUTH_VARIABLES).AUTH;
      const enabled = namesOf(enabledProviders).flatMap((name) => providers.find((row) => row.name === name) ?? []);
      return { auth: { adminEmails: values.AUTH_ADMIN_EMAILS, providers: enabled } };
    },
    faults: ({ auth, production }, { of }) => {
      const { enabledProviders, providers } = of(AUTH_VARIABLES).AUTH;
      const missing = namesOf(enabledProviders).flatMap((name) => missingOf(name, providers));
      if (auth.localLoginDisabled && auth.providers.length === 0)
        missing.push('AUTH_DISABLE_LOCAL_LOGIN must not be true without a social provider in AUTH.enabled_providers');
      const complete = auth.providers.filter((provider) => provider.clientSecret !== '' || signsItself(provider));
      return [...missing, ...complete.flatMap((provider) => providerFaults(provider, production))];
    },
  },
);

/** What `enabled_providers` names, each once. `local` may stand there: whether it is offered AUTH_DISABLE_LOCAL_LOGIN says. */
function namesOf(enabledProviders: readonly string[]): string[] {
  return [...new Set(enabledProviders)].filter((name) => name !== 'local');
}

function missingOf(name: string, providers: readonly ProviderSettings[]): string[] {
  const provider = providers.find((row) => row.name === name);
  if (provider === undefined) return [`AUTH.enabled_providers names ${name}, which must stand in AUTH.providers`];
  const place = `AUTH.providers.${name}`;
  const faults: string[] = [];
  if (provider.clientId === '') faults.push(`${place}.client_id must be set`);
  if (provider.clientSecret === '' && !signsItself(provider)) faults.push(`${place}.client_secret must be set`);
  if (provider.issuer === undefined && !PROVIDER_PRESETS.includes(name)) faults.push(`${place}.issuer must be set`);
  return faults;
}

function signsItself({ extra }: ProviderSettings): boolean {
  return extra['private_key'] !== undefined;
}

declare module '../../identity/auth/auth-config.types.js' {
  interface AuthConfig {
    /** Addresses (in comparison form) that receive the admin role at their first federated login. */
    readonly adminEmails: readonly string[];
    /** The enabled social providers, in the order of `enabled_providers`. */
    readonly providers: readonly ProviderSettings[];
  }
}
