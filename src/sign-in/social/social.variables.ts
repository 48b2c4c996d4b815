import { AUTH_VARIABLES } from '../../identity/auth/auth.variables.js';
import { defineVariables, parseEmailKey, parseList } from '../../platform/config/config.public.js';
import { defineProvider } from './providers/define-provider.js';
import type { ProviderDefinition } from './providers/provider-definition.types.js';
import { type ConfiguredProvider, providerFaults } from './providers/provider-settings.js';

/** Providers are configured by `AUTH.enabled_providers` and `AUTH.providers`. */
export const SOCIAL_VARIABLES = defineVariables(
  'Federated-only mode',
  {
    AUTH_ADMIN_EMAILS: {
      default: [],
      parse: parseList(parseEmailKey),
      meaning: 'e-mail addresses that receive the role admin at their first federated sign-in, separated by commas',
    },
  },
  {
    settings: (values, { config, of }) => {
      const { enabledProviders, providers } = of(AUTH_VARIABLES).AUTH;
      const enabled = namesOf(enabledProviders).flatMap((name) => providers.find((row) => row.name === name) ?? []);
      const configured = enabled.map((row) => ({
        ...row,
        definition: definitionOf(row.name, config.offeredProviders),
      }));
      return { auth: { adminEmails: values.AUTH_ADMIN_EMAILS, providers: configured } };
    },
    faults: ({ auth, production }, { of }) => {
      const { enabledProviders, providers } = of(AUTH_VARIABLES).AUTH;
      const missing = namesOf(enabledProviders)
        .filter((name) => providers.every((row) => row.name !== name))
        .map((name) => `AUTH.enabled_providers contains ${name}, which must be defined in AUTH.providers`);
      const faults = [...missing, ...auth.providers.flatMap((provider) => providerFaults(provider, production))];
      if (auth.localLoginDisabled && auth.providers.length === 0)
        faults.push('AUTH_DISABLE_LOCAL_LOGIN must not be true without a social provider in AUTH.enabled_providers');
      return faults;
    },
  },
);

/** Returns the distinct providers in `enabled_providers`. `local` may be listed, but `AUTH_DISABLE_LOCAL_LOGIN` controls it. */
function namesOf(enabledProviders: readonly string[]): string[] {
  return [...new Set(enabledProviders)].filter((name) => name !== 'local');
}

/** Returns the definition of a provider. A provider without a definition uses OpenID Connect, with the issuer from its settings. */
function definitionOf(name: string, offered: readonly ProviderDefinition[]): ProviderDefinition {
  return (
    offered.find((definition) => definition.name === name) ??
    defineProvider({ name, issuer: () => undefined, scopes: ['email', 'profile'] })
  );
}

declare module '../../identity/auth/auth-config.types.js' {
  interface AuthConfig {
    /** Normalised addresses that receive the admin role at their first federated login. */
    readonly adminEmails: readonly string[];
    /** The enabled social providers, in the order of `enabled_providers`. */
    readonly providers: readonly ConfiguredProvider[];
  }
}

declare module '../../platform/config/config.types.js' {
  interface Config {
    /** All providers that modules define. */
    readonly offeredProviders: readonly ProviderDefinition[];
  }
}
