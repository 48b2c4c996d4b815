import type { ProviderSettings } from '../../identity/auth/auth-config.types.js';

/** The providers that the module was made for. */
export type SocialProviders = readonly ProviderSettings[];

/** Injection token of {@link SocialProviders}. */
export const SOCIAL_PROVIDERS = Symbol('SOCIAL_PROVIDERS');
