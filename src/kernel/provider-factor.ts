/** Value in `amr` for a second factor that a trusted provider has verified (ADR 0081). It belongs to the sign-in, not to the account. */
export const PROVIDERS_FACTOR = 'federation_mfa';
