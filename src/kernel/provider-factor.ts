/**
 * Name in `amr` of a session for a second factor that a provider has asked for, if its settings take its word for it (ADR 0081). It is
 * of that sign-in, and none of the account.
 */
export const PROVIDERS_FACTOR = 'federation_mfa';
