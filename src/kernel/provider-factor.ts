/**
 * What `amr` of a session says of a second factor that a provider has asked for, where its settings take its word for it (ADR 0081).
 * It is of that sign-in, and none of the account.
 */
export const PROVIDERS_FACTOR = 'federation_mfa';
